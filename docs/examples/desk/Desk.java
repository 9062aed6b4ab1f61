package desk;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** A help desk with three endpoints, each with its own work, and a client that asks each of them as often as the first argument says. */
public final class Desk {
    private final List<String> tickets = new ArrayList<>();

    synchronized String open(String text) {
        tickets.add(text);
        return "ticket " + tickets.size();
    }

    synchronized String search(String word) {
        int found = 0;
        for (String ticket : tickets) if (matches(ticket, word)) found++;
        return found + " tickets";
    }

    boolean matches(String ticket, String word) {
        return ticket.toLowerCase().contains(word);
    }

    /** Two searches at once, by threads of the common pool. */
    String report() {
        var first = CompletableFuture.supplyAsync(() -> search("printer"));
        var second = CompletableFuture.supplyAsync(() -> search("coffee"));
        return first.join() + ", " + second.join();
    }

    void handle(HttpExchange exchange) throws IOException {
        String answer = switch (exchange.getRequestURI().getPath()) {
            case "/open" -> open("the printer is on fire");
            case "/search" -> search("printer");
            default -> report();
        };
        exchange.sendResponseHeaders(200, answer.length());
        try (var body = exchange.getResponseBody()) {
            body.write(answer.getBytes());
        }
    }

    public static void main(String[] args) throws Exception {
        int requests = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new Desk()::handle);
        var threads = Executors.newFixedThreadPool(2);
        server.setExecutor(threads);
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < requests; i++)
            for (String path : List.of("/open", "/search", "/report"))
                client.send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + server.getAddress().getPort() + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
        server.stop(0);
        threads.shutdown();
        System.out.println(3 * requests + " requests");
    }
}
