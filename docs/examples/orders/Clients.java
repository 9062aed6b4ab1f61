package orders;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;

/** Four clients of one H2 database in memory, each of which books orders and asks for sums. */
public class Clients {
    public static void main(String[] args) throws Exception {
        int orders = args.length > 0 ? Integer.parseInt(args[0]) : 4000;
        String url = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";
        try (Connection c = DriverManager.getConnection(url)) {
            c.createStatement().execute("CREATE TABLE orders(id INT PRIMARY KEY, customer VARCHAR(100), cents BIGINT)");
        }
        Thread[] clients = new Thread[4];
        for (int i = 0; i < clients.length; i++) {
            int number = i;
            clients[i] = new Thread(() -> book(url, number, orders), "client-" + i);
            clients[i].start();
        }
        for (Thread client : clients) client.join();
    }

    static void book(String url, int number, int orders) {
        try (Connection c = DriverManager.getConnection(url);
             PreparedStatement insert = c.prepareStatement("INSERT INTO orders VALUES(?, ?, ?)");
             PreparedStatement sum = c.prepareStatement("SELECT SUM(cents) FROM orders WHERE customer = ?")) {
            for (int i = 0; i < orders; i++) {
                insert.setInt(1, number * orders + i);
                insert.setString(2, "customer " + i % 100);
                insert.setLong(3, i);
                insert.execute();
                if (i % 20 == 0) {
                    sum.setString(1, "customer " + i % 100);
                    sum.executeQuery();
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
