import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Threads that pay into one account: each waits for the others' transactions, and for the ledger. Arguments: the database's URL, how many threads, payments of each. */
public class Bank {
    static class Ledger {
        int entries;

        synchronized void write() throws InterruptedException {
            entries++;
            Thread.sleep(1);
        }
    }

    static final Ledger LEDGER = new Ledger();

    static void open(Statement s) throws SQLException {
        s.execute("create table if not exists account(id int primary key, money int) as select 1, 0");
    }

    static void pay(String url, int payments) {
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("set lock_timeout 60000");
            c.setAutoCommit(false);
            for (int i = 0; i < payments; i++) {
                s.executeUpdate("update account set money = money + 1 where id = 1");
                Thread.sleep(1);
                c.commit();
                LEDGER.write();
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0]); Statement s = c.createStatement()) {
            open(s);
            Thread[] threads = new Thread[Integer.parseInt(args[1])];
            for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(() -> pay(args[0], Integer.parseInt(args[2])), "payer")).start();
            for (Thread thread : threads) thread.join();
            try (var r = s.executeQuery("select money from account")) {
                r.next();
                System.out.println("money " + r.getInt(1));
            }
        }
        if (args.length > 3) System.in.read();
    }
}
