import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Calls that are recorded while the API has some of its classes; then calls in spans: each prints its number and the ids of its span. */
public class Early {
    public static int work(int n) {
        return n;
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static void overflow() {
        try {
            deep(0);
        } catch (StackOverflowError expected) {
        }
    }

    static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its own code is called in the middle of loading a class. */
    static class Loader extends URLClassLoader {
        Loader(URL[] urls) {
            super(urls, ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.endsWith(".SpanContextKey")) {
                for (int i = 0; i < 5; i++) {
                    work(-1); // not every call looks for what is loaded
                    sleep(50);
                }
            }
            return super.findClass(name);
        }
    }

    public static class Made {
        public static void run(int n) throws Exception {
            Span span = SdkTracerProvider.builder().build().get("test").spanBuilder("made").startSpan();
            try (Scope scope = span.makeCurrent()) {
                SpanContext context = span.getSpanContext();
                System.out.println("call " + n + " " + context.getTraceId() + " " + context.getSpanId());
                ClassLoader.getSystemClassLoader().loadClass("Early").getMethod("work", int.class).invoke(null, n);
            }
        }

        public static void ask(int n) throws Exception {
            Span.current();
            run(n);
        }
    }

    public static void main(String[] args) throws Exception {
        String[] paths = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < urls.length; i++) urls[i] = new File(paths[i]).toURI().toURL();
        switch (args[0]) {
            case "deep" -> {
                Context.current();
                Span.getInvalid();
                Thread thread = new Thread(null, Early::overflow, "deep", 1 << 20);
                thread.start();
                thread.join();
                Made.ask(1);
            }
            case "loading" -> new Loader(urls).loadClass("Early$Made").getMethod("ask", int.class).invoke(null, 1);
            default -> {
                for (int n = 0; n < 70; n++) { // as an application that is deployed again and again
                    try (URLClassLoader loader = new Loader(urls)) {
                        loader.loadClass("Early$Made").getMethod("run", int.class).invoke(null, n);
                    }
                    System.gc();
                    sleep(10);
                }
            }
        }
    }
}
