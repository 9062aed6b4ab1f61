import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.asmtools.common.outputs.StdoutOutput;

/** Assembles many sources of asmtools in one JVM. Each line of the file words[0]: an output folder, a source. */
public class Assemble {
    public static void main(String[] words) throws Exception {
        for (String line : Files.readAllLines(Path.of(words[0]))) {
            String[] parts = line.split("\t");
            Files.createDirectories(Path.of(parts[0]));
            try {
                if (parts[1].endsWith(".jasm")) {
                    new org.openjdk.asmtools.jasm.Main(new StdoutOutput(), "-d", parts[0], parts[1]).compile();
                } else {
                    new org.openjdk.asmtools.jcoder.Main(new StdoutOutput(), "-d", parts[0], parts[1]).compile();
                }
            } catch (Exception | Error error) { // asmtools' own; the folder then stays empty
                System.err.println(parts[1] + ": " + error);
            }
        }
    }
}
