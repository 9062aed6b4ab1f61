import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;

/** An agent that redefines a class while it runs: with the same bytes, then with others. */
public class Redefining {
    static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    static void run() throws Exception {
        byte[] original;
        try (InputStream in = Redefining.class.getResourceAsStream("Copied.class")) {
            original = in.readAllBytes();
        }
        Copied.run("left");
        instrumentation.redefineClasses(new ClassDefinition(Copied.class, original));
        Copied.run("right");
        instrumentation.retransformClasses(Copied.class);
        // another version, of the same length: it asks for "lift" and says so
        String text = new String(original, StandardCharsets.ISO_8859_1).replace("left", "lift");
        instrumentation.redefineClasses(new ClassDefinition(Copied.class, text.getBytes(StandardCharsets.ISO_8859_1)));
        Copied.run("lift");
    }
}
