import java.nio.file.Files;
import java.nio.file.Path;

/** Loads the classes that a file names, without running their initialisers. */
public class Load {
    public static void main(String[] args) throws Exception {
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                Class.forName(name, false, null);
            } catch (ClassNotFoundException | LinkageError e) {
                System.err.println(e);
            }
        }
    }
}
