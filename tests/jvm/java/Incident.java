import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** A server whose endpoints are slow, each for a reason of its own, and clients that ask until the input ends. */
public class Incident {
    static final int LINES = 20;
    static final Object audit = new Object();
    static final HttpClient client = HttpClient.newHttpClient();
    static Connection connection;
    static URI here;

    /** A query, and one more for each line. */
    static String order(HttpExchange exchange) throws SQLException {
        StringBuilder lines = new StringBuilder();
        try (PreparedStatement all = connection.prepareStatement("select id from lines")) {
            ResultSet ids = all.executeQuery();
            while (ids.next()) {
                try (PreparedStatement one = connection.prepareStatement("select text from lines where id = ?")) {
                    one.setInt(1, ids.getInt(1));
                    ResultSet line = one.executeQuery();
                    while (line.next()) lines.append(line.getString(1));
                }
            }
        }
        return lines.toString();
    }

    /** Waits for a lock that another thread holds for long. */
    static String balance(HttpExchange exchange) {
        synchronized (audit) {
            return "0";
        }
    }

    static void audits() {
        while (true) {
            synchronized (audit) {
                pause(30);
            }
            pause(1);
        }
    }

    /** Asks another service, which takes 5 ms. */
    static String rate(HttpExchange exchange) throws Exception {
        return get("/slow");
    }

    static String slow(HttpExchange exchange) {
        pause(5);
        return "1.1";
    }

    /** Makes a lot of garbage. */
    static String report(HttpExchange exchange) {
        List<byte[]> pages = new ArrayList<>();
        for (int i = 0; i < 64; i++) pages.add(new byte[64 << 10]);
        return "" + pages.size();
    }

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static String get(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(here.resolve(path)).build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    interface Handler {
        String answer(HttpExchange exchange) throws Exception;
    }

    static void serve(HttpServer server, String path, Handler handler) {
        server.createContext(path, exchange -> answer(exchange, handler));
    }

    static void answer(HttpExchange exchange, Handler handler) throws IOException {
        byte[] body;
        try {
            body = handler.answer(exchange).getBytes();
        } catch (Exception e) {
            throw new IOException(e);
        }
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static void ask(String path) {
        try {
            while (true) get(path);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        connection = DriverManager.getConnection("jdbc:h2:mem:orders");
        connection.createStatement().execute("create table lines(id int primary key, text varchar(10))");
        for (int i = 0; i < LINES; i++) connection.createStatement().execute("insert into lines values(" + i + ", 'line')");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        here = URI.create("http://localhost:" + server.getAddress().getPort());
        serve(server, "/order", Incident::order);
        serve(server, "/balance", Incident::balance);
        serve(server, "/rate", Incident::rate);
        serve(server, "/report", Incident::report);
        server.createContext("/slow", exchange -> {
            byte[] body = slow(null).getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        start(Incident::audits, "auditor");
        for (String path : List.of("/order", "/balance", "/rate", "/report")) start(() -> ask(path), "client of " + path);
        System.out.println("ready");
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
