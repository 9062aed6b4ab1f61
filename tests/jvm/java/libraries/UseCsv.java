import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;

/** A driver that the rules do not name: 3 statements, 2 prepared ones. */
public class UseCsv {
    public static void main(String[] arguments) throws Exception {
        Files.writeString(Path.of(arguments[0], "parts.csv"), "id,name\n1,a\n");
        try (Connection connection = DriverManager.getConnection("jdbc:relique:csv:" + arguments[0])) {
            try (Statement s = connection.createStatement()) {
                for (int i = 0; i < 3; i++) s.executeQuery("select * from parts where id = " + i).close();
            }
            try (PreparedStatement p = connection.prepareStatement("select * from parts where id = ?")) {
                for (int i = 0; i < 2; i++) {
                    p.setInt(1, i);
                    p.executeQuery().close();
                }
            }
        }
    }
}
