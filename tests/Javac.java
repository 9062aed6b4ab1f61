import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.spi.ToolProvider;

/** Compiles as javac does, once for each line of its input: words between tabs. Answers with the status and the number of bytes that javac said, and these. */
public class Javac {
    public static void main(String[] args) throws Exception {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringWriter said = new StringWriter();
            PrintWriter to = new PrintWriter(said);
            int status = javac.run(to, to, line.split("\t"));
            byte[] bytes = said.toString().getBytes(UTF_8);
            System.out.write((status + " " + bytes.length + "\n").getBytes(UTF_8));
            System.out.write(bytes);
            System.out.flush();
        }
    }
}
