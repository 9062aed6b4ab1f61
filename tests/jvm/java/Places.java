import java.io.InputStream;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;

/** Runs the same class from several places: the class path, and whatever URLs it is given. */
public class Places {
    public static class Job implements Runnable {
        public void run() {}
    }

    static class Loader extends ClassLoader {
        Class<?> define(byte[] bytes, ProtectionDomain domain) { return defineClass(null, bytes, 0, bytes.length, domain); }
    }

    /** A URL as a program's own handlers make it. */
    static URL url(String text) throws Exception {
        String[] parts = text.split(":", 2);
        String file = parts[1], host = "";
        if (text.contains("://")) {
            host = text.split("/")[2];
            file = text.substring(text.indexOf(host) + host.length());
        }
        return new URL(parts[0], host, -1, file, new java.net.URLStreamHandler() {
            @Override protected java.net.URLConnection openConnection(URL url) { throw new AssertionError(); }
        });
    }

    public static void main(String[] urls) throws Exception {
        new Job().run();
        byte[] bytes;
        try (InputStream in = Places.class.getResourceAsStream("Places$Job.class")) {
            bytes = in.readAllBytes();
        }
        for (int i = 0; i < urls.length; i++) {
            ProtectionDomain domain = urls[i].isEmpty() ? null : new ProtectionDomain(new CodeSource(url(urls[i]), (Certificate[]) null), null);
            Runnable job = (Runnable) new Loader().define(bytes, domain).getDeclaredConstructor().newInstance();
            for (int n = 0; n < 1 << i + 1; n++) job.run(); // so that the sum tells which ones were counted
        }
    }
}
