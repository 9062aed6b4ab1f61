import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** Answers all requests, and redirects /old to /new. */
class Server implements AutoCloseable {
    final HttpServer server;
    final String url;

    Server() throws Exception {
        server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        url = "http://localhost:" + server.getAddress().getPort();
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] text = "hello".getBytes(StandardCharsets.UTF_8);
            if (exchange.getRequestURI().getPath().equals("/old")) {
                exchange.getResponseHeaders().add("Location", url + "/new");
                exchange.sendResponseHeaders(302, text.length);
            } else exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        server.start();
    }

    @Override
    public void close() {
        System.out.println("done");
        System.out.flush();
        server.stop(0);
        System.exit(0);
    }
}
