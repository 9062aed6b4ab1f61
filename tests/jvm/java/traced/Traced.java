import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.instrumentation.annotations.WithSpan;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.Executors;

/** Calls in spans that OpenTelemetry's agent makes. Each prints its number and the ids of its span, as the API tells the program. */
public class Traced {
    static void say(int n) {
        var context = Span.current().getSpanContext();
        System.out.println("call " + n + " " + context.getTraceId() + " " + context.getSpanId());
    }

    @WithSpan
    static int annotated(int n) {
        inner(n + 100);
        say(n);
        return n;
    }

    static void inner(int n) {
        say(n);
    }

    static void outside(int n) {
        say(n);
    }

    @WithSpan
    static void fails(int n) {
        say(n);
        throw new IllegalStateException();
    }

    static void slow(int n) throws Exception {
        say(n);
        Thread.sleep(20L * (n - 27)); // far enough apart for a busy machine
    }

    static void handle(int n) throws Exception {
        say(n);
        slow(n + 7);
    }

    static void serve(int requests) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        var threads = Executors.newFixedThreadPool(2);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try {
                handle(Integer.parseInt(exchange.getRequestURI().getPath().substring(1)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        for (int n = 0; n < requests; n++)
            try (InputStream answer = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/" + (20 + 10 * n)).openStream()) {
                answer.readAllBytes();
            }
        server.stop(0);
        threads.shutdown();
    }

    static void inVirtualThread(Runnable task) throws Exception {
        if (Runtime.version().feature() >= 21)
            ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task)).join();
    }

    public static void main(String[] args) throws Exception {
        outside(1);
        for (int n = 2; n < 5; n++) annotated(n);
        try {
            fails(6);
        } catch (IllegalStateException expected) {
            outside(7);
        }
        serve(4);
        inVirtualThread(() -> annotated(8));
        inVirtualThread(() -> outside(9));
    }
}
