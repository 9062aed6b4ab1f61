package shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Executors;

/** A shop with one endpoint, /order?item=N, and a client that orders as often as the first argument says. */
public final class Shop {
    private final Stock stock = new Stock(20_000);
    private final Prices prices = new Prices();

    String order(int item) {
        Stock.Item found = stock.find("item-" + item);
        if (found == null) throw new IllegalArgumentException("no item " + item);
        return found.name() + " costs " + prices.of(found) + "\n";
    }

    void handle(HttpExchange exchange) throws IOException {
        byte[] answer;
        int status = 200;
        try {
            answer = order(Integer.parseInt(exchange.getRequestURI().getQuery().substring("item=".length()))).getBytes();
        } catch (IllegalArgumentException e) {
            answer = e.getMessage().getBytes();
            status = 404;
        }
        exchange.sendResponseHeaders(status, answer.length);
        try (var body = exchange.getResponseBody()) {
            body.write(answer);
        }
    }

    public static void main(String[] args) throws Exception {
        int orders = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Shop shop = new Shop();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/order", shop::handle);
        var threads = Executors.newFixedThreadPool(2);
        server.setExecutor(threads);
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < orders; i++) {
            URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/order?item=" + i * 67 % 20_010);
            client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
        server.stop(0);
        threads.shutdown();
        System.out.println(orders + " orders");
    }
}
