import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Sessions are opened; every third one is not closed, and stays. Then a class is loaded and forgotten. */
public class Sessions {
    static class Session {
        final int id;
        final byte[] buffer = new byte[1000];

        Session(int id) {
            this.id = id;
        }
    }

    static final List<Session> OPEN = new ArrayList<>();

    static Session open(int id) {
        Session s = new Session(id);
        OPEN.add(s);
        return s;
    }

    static void close(Session s) {
        OPEN.remove(s);
    }

    static void collected() {}

    static void loadAndForget() throws Exception {
        URL here = new File(Sessions.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toURI().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {here}, null)) {
            loader.loadClass("Costs").getDeclaredConstructor().newInstance();
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++) {
            Session s = open(i);
            if (i % 3 != 0) close(s);
        }
        loadAndForget();
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(100);
        }
        collected();
        System.out.println("open " + OPEN.size());
    }
}
