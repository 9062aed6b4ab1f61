import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves HTTP, each request in a virtual thread where the JVM has them. Prints its port. */
public class Server {
    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 200);
        server.createContext("/load", Server::load);
        server.createContext("/counted", Server::counted);
        server.createContext("/sleep", Server::sleep);
        server.setExecutor(executor());
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0) {} // until the other side ends
        server.stop(0);
        System.exit(0);
    }

    static ExecutorService executor() throws ReflectiveOperationException {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | InvocationTargetException e) { // preview in 19 and 20
            return Executors.newCachedThreadPool();
        }
    }

    static void load(HttpExchange exchange) throws IOException {
        answer(exchange, work(200));
    }

    static void counted(HttpExchange exchange) throws IOException {
        answer(exchange, work(10));
    }

    static int work(int n) {
        int sum = 0; // the watched line
        for (int i = 0; i < n; i++) sum += step(i);
        try {
            Thread.sleep(1); // a virtual thread unmounts
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return sum;
    }

    static void sleep(HttpExchange exchange) throws IOException {
        asleep(2500);
        answer(exchange, 1);
    }

    static void asleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static int step(int i) {
        Object[] boxed = {i};
        return boxed[0].hashCode() + Integer.toString(i).hashCode();
    }

    static void answer(HttpExchange exchange, int sum) throws IOException {
        byte[] text = Integer.toString(sum).getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }
}
