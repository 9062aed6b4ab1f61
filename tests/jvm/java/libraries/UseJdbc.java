import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Each way to execute a statement, with the driver's own connection and with one of a pool. Arguments: the URL, and what to say first, `;` between. */
public class UseJdbc {
    static int all(ResultSet rows) throws SQLException {
        int n = 0;
        try (rows) {
            while (rows.next()) n++;
        }
        return n;
    }

    static void use(Connection connection, int from) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.executeUpdate("insert into parts values (" + from + ", 'a''b')");
            s.executeLargeUpdate("insert into parts values (" + (from + 1) + ", 'c')");
            s.execute("insert into parts values (" + (from + 2) + ", 'd')", Statement.NO_GENERATED_KEYS);
            all(s.executeQuery("select name from parts where id in (" + from + ", 2)"));
            s.execute("select name from parts where id in (" + from + ", 2, 3)");
        }
        try (PreparedStatement p = connection.prepareStatement("select id from parts where name = ? and id > 0")) {
            p.setString(1, "c");
            all(p.executeQuery());
            p.execute();
        }
        try (PreparedStatement p = connection.prepareStatement("update parts set name = ? where id = " + from)) {
            p.setString(1, "e");
            p.executeUpdate();
            p.executeLargeUpdate();
            p.execute();
        }
        if (!connection.getAutoCommit()) connection.commit();
    }

    static void batches(Connection connection, int from) throws SQLException {
        try (PreparedStatement p = connection.prepareStatement("insert into parts (id, name) values (?, ?)")) {
            for (int i = 0; i < 4; i++) {
                p.setInt(1, from + i);
                p.setString(2, "f");
                p.addBatch();
                if (i == 1) p.executeBatch();
                if (i == 3) p.executeLargeBatch();
            }
        }
        try (Statement s = connection.createStatement()) {
            s.addBatch("delete from parts where id = " + from);
            s.addBatch("delete from parts where id = " + (from + 1));
            s.executeBatch();
        }
        connection.commit();
    }

    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(arguments[0]);
        config.setMaximumPoolSize(1);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            try (Connection connection = DriverManager.getConnection(arguments[0])) {
                try (Statement s = connection.createStatement()) {
                    for (int i = 1; i < arguments.length; i++) s.execute(arguments[i]);
                    s.execute("create table parts (id int, name varchar(20))");
                }
                use(connection, 100);
            }
            try (Connection connection = pool.getConnection()) {
                use(connection, 200);
                batches(connection, 300);
            }
        }
    }
}
