import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A little of everything that a database does, in memory. */
public class Sql {
    static final String[] STATEMENTS = {
        "CREATE TABLE author (id INTEGER IDENTITY PRIMARY KEY, name VARCHAR(50) NOT NULL, born DATE)",
        "CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER, title VARCHAR(50), price DECIMAL(8, 2), FOREIGN KEY (author) REFERENCES author (id))",
        "CREATE INDEX titles ON book (title)", "CREATE VIEW cheap AS SELECT title, price FROM book WHERE price < 10",
        "INSERT INTO author VALUES (0, 'Ada', '1815-12-10')", "INSERT INTO author VALUES (1, 'Bea', NULL)",
        "CREATE SEQUENCE numbers", "CREATE ALIAS twice FOR \"Sql.twice\"", "CREATE USER reader PASSWORD \"x\"", "GRANT SELECT ON book TO reader",
        "SELECT name, COUNT(*), SUM(price), MIN(title) FROM author LEFT JOIN book ON book.author = author.id GROUP BY name HAVING COUNT(*) > 0 ORDER BY 2 DESC",
        "SELECT DISTINCT UPPER(title) || '!' FROM cheap WHERE title LIKE 'b%' AND price BETWEEN 1 AND 5 ORDER BY 1",
        "SELECT title FROM book WHERE author IN (SELECT id FROM author WHERE name <> 'Bea') AND EXISTS (SELECT * FROM author) UNION SELECT name FROM author",
        "SELECT twice(id), CASE WHEN price > 5 THEN 'dear' ELSE 'cheap' END, COALESCE(NULL, 'x'), YEAR(CURRENT_DATE) > 2000 FROM book",
        "UPDATE book SET price = price * 1.1 WHERE id < 20", "DELETE FROM book WHERE id > 40", "ALTER TABLE book ADD COLUMN pages INTEGER",
        "SELECT nothing FROM nowhere", "INSERT INTO book VALUES (1, 7, 'x', 1, 1)", "DROP VIEW cheap", "SET AUTOCOMMIT FALSE", "ROLLBACK", "SHUTDOWN",
    };

    public static int twice(int n) {
        return 2 * n;
    }

    public static void main(String[] args) throws Exception {
        Class.forName("org.hsqldb.jdbcDriver");
        try (Connection connection = DriverManager.getConnection("jdbc:hsqldb:mem:x", "sa", ""); Statement statement = connection.createStatement()) {
            for (int i = 0; i < STATEMENTS.length; i++) {
                if (i == 10) fill(connection);
                try {
                    if (statement.execute(STATEMENTS[i])) show(statement.getResultSet());
                } catch (SQLException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
        System.exit(0);
    }

    static void fill(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO book VALUES (?, ?, ?, ?)")) {
            for (int i = 0; i < 50; i++) {
                insert.setInt(1, i);
                insert.setInt(2, i % 2);
                insert.setString(3, "book " + i * 7 % 50);
                insert.setBigDecimal(4, new java.math.BigDecimal(i).movePointLeft(1));
                insert.executeUpdate();
            }
        }
    }

    static void show(ResultSet rows) throws SQLException {
        while (rows.next()) {
            StringBuilder line = new StringBuilder();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) line.append(rows.getString(i)).append(' ');
            System.out.println(line);
        }
    }
}
