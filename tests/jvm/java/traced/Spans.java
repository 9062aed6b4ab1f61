import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Calls in spans that the program makes itself. Each prints its number and the ids of its span; outside of spans, zeros. */
public class Spans {
    static int work(int n) {
        return n;
    }

    static void watched(int n, SpanContext context) {
        System.out.println("call " + n + " " + context.getTraceId() + " " + context.getSpanId());
        work(n);
    }

    /** What uses the API: it is loaded when this class is. */
    public static class Made {
        public static void run(int from) {
            Tracer tracer = SdkTracerProvider.builder().build().get("test");
            for (int n = from; n < from + 4; n++) {
                Span span = tracer.spanBuilder("made").startSpan();
                try (Scope scope = span.makeCurrent()) {
                    watched(n, span.getSpanContext());
                }
                span.end();
                watched(n + 10, SpanContext.getInvalid());
            }
            try (Scope scope = Span.getInvalid().makeCurrent()) {
                watched(from + 20, SpanContext.getInvalid());
            }
            for (int i = 0; i < 3; i++) Span.current();
        }
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    /** The stack overflows in a span; where it has no room left, nothing can be asked. */
    static void overflow() {
        Span span = SdkTracerProvider.builder().build().get("test").spanBuilder("deep").startSpan();
        System.out.println("deep " + span.getSpanContext().getTraceId());
        try (Scope scope = span.makeCurrent()) {
            deep(0);
        } catch (StackOverflowError expected) {
        }
        span.end();
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) { // until the agent is attached
            Made.run(0);
            System.out.println("ready");
            System.in.read();
        }
        work(99);
        Made.run(100);
        overflow();
        String[] paths = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < urls.length; i++) urls[i] = new File(paths[i]).toURI().toURL();
        URLClassLoader other = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader()); // as that of a web application
        other.loadClass("Spans$Made").getMethod("run", int.class).invoke(null, 200);
        if (Runtime.version().feature() >= 21) {
            Runnable task = () -> Made.run(300);
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task)).join();
        }
    }
}
