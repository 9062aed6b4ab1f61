import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Authors and their books, asked for one author after the other; and a statement that takes a while. The argument is the database's URL. */
public class Library {
    static int booksOf(Connection c, int author) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("select title from book where author = ?")) {
            s.setInt(1, author);
            int n = 0;
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) n++;
            }
            return n;
        }
    }

    static void nap(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("call nap(150)")) {
            s.execute();
        }
    }

    public static void main(String[] args) throws SQLException {
        int books = 0;
        try (Connection c = DriverManager.getConnection(args[0]); Statement s = c.createStatement()) {
            s.execute("create alias nap for 'java.lang.Thread.sleep(long)'");
            s.execute("create table book(author int, title varchar(20))");
            for (int i = 0; i < 30; i++) s.executeUpdate("insert into book values (" + i + ", 'book " + i + "')");
            for (int i = 0; i < 30; i++) books += booksOf(c, i);
            nap(c);
            s.execute("call nap(120)");
        }
        System.out.println("books " + books);
    }
}
