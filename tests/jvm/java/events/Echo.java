import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

/** Answers lines of its input until that ends; the first word of a line says what else happens. */
public class Echo {
    static final List<Object> KEPT = new ArrayList<>();

    static class Late {
        static String name() {
            return "late";
        }
    }

    static class Thing {}

    static String answer(String line) {
        switch (line) {
            case "late": return Late.name();
            case "keep": KEPT.add(new Thing()); return "kept";
            case "drop": KEPT.clear(); System.gc(); return "dropped";
            case "garbage": for (int i = 0; i < 4096; i++) KEPT.add(new byte[1000]); KEPT.clear(); return line;
            case "fails": throw new IllegalArgumentException(line);
            default: return "echo " + line;
        }
    }

    public static void main(String[] words) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null;) {
            try {
                System.out.println(answer(line));
            } catch (IllegalArgumentException e) {
                System.out.println("failed");
            }
        }
    }
}
