import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** Uses a database by JDBC: 2 statements, 10 prepared ones, 9 of them through two layers of wrappers, 11 rows asked for, 1 commit. */
public class Jdbc {
    /** As a connection pool does. */
    static PreparedStatement wrapped(PreparedStatement statement) {
        return (PreparedStatement) Proxy.newProxyInstance(
                Jdbc.class.getClassLoader(), new Class<?>[] {PreparedStatement.class}, (proxy, method, values) -> method.invoke(statement, values));
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(arguments[0])) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("create table numbers (n int)");
                statement.executeUpdate("insert into numbers values (0)");
            }
            try (PreparedStatement insert = wrapped(wrapped(connection.prepareStatement("insert into numbers values (?)")))) {
                for (int n = 1; n < 10; n++) {
                    insert.setInt(1, n);
                    insert.executeUpdate();
                }
            }
            connection.commit();
            try (PreparedStatement all = connection.prepareStatement("select n from numbers"); ResultSet rows = all.executeQuery()) {
                int sum = 0;
                while (rows.next()) sum += rows.getInt(1);
                System.out.println(sum);
            }
        }
    }
}
