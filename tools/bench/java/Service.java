import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executors;

/** A service over a database in memory: each request places an order, and answers with the customer's orders and a report. Prints its port; ends at the end of its input. */
public class Service {
    static final int CUSTOMERS = 200, GOODS = 50, THREADS = 4;

    final ThreadLocal<Connection> connections = ThreadLocal.withInitial(() -> {
        try {
            return DriverManager.getConnection("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    });

    void create() throws SQLException {
        try (Statement statement = connections.get().createStatement()) {
            statement.execute("create table orders (id identity primary key, customer int, goods int, pieces int)");
            statement.execute("create index of_customer on orders (customer)");
            for (int i = 0; i < CUSTOMERS * 10; i++) place(i % CUSTOMERS, i % GOODS, i % 7);
        }
    }

    /** A customer has ten orders: the oldest one goes. */
    void place(int customer, int goods, int pieces) throws SQLException {
        try (PreparedStatement insert = connections.get().prepareStatement("insert into orders (customer, goods, pieces) values (?, ?, ?)")) {
            insert.setInt(1, customer);
            insert.setInt(2, goods);
            insert.setInt(3, pieces);
            insert.execute();
        }
    }

    void forget(int customer) throws SQLException {
        String oldest = "delete from orders where id = (select min(id) from orders where customer = ?)";
        try (PreparedStatement delete = connections.get().prepareStatement(oldest)) {
            delete.setInt(1, customer);
            delete.execute();
        }
    }

    String orders(int customer) throws SQLException {
        StringBuilder text = new StringBuilder();
        try (PreparedStatement query = connections.get().prepareStatement("select id, goods, pieces from orders where customer = ? order by id")) {
            query.setInt(1, customer);
            for (ResultSet rows = query.executeQuery(); rows.next();)
                text.append(rows.getLong(1)).append(' ').append(rows.getInt(2)).append(' ').append(rows.getInt(3)).append('\n');
        }
        return text.toString();
    }

    String report() throws SQLException {
        StringBuilder text = new StringBuilder();
        String most = "select goods, sum(pieces) as sold from orders group by goods having sum(pieces) > 3 order by sold desc limit 5";
        try (Statement query = connections.get().createStatement(); ResultSet rows = query.executeQuery(most)) {
            while (rows.next()) text.append(rows.getInt(1)).append(": ").append(rows.getLong(2)).append('\n');
        }
        return text.toString();
    }

    void handle(HttpExchange exchange) throws IOException {
        String answer;
        int status = 200;
        try {
            int number = Integer.parseInt(exchange.getRequestURI().getPath().substring(1)), customer = number % CUSTOMERS;
            place(customer, number % GOODS, number % 7);
            forget(customer);
            answer = orders(customer) + report();
        } catch (SQLException | NumberFormatException e) {
            answer = e.toString();
            status = 500;
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public static void main(String[] args) throws Exception {
        Service service = new Service();
        service.create();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/", service::handle);
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0) Thread.onSpinWait();
        System.exit(0);
    }
}
