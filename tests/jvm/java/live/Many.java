import java.nio.charset.StandardCharsets;
import java.util.Scanner;

/** Has as many classes as its argument says. For each line of the input it calls one method of each once, and prints a line. */
public class Many {
    public static void main(String[] arguments) throws Exception {
        String made = new String(Comers.MADE, StandardCharsets.ISO_8859_1);
        Loader loader = new Loader();
        Runnable[] all = new Runnable[Integer.parseInt(arguments[0])];
        for (int i = 0; i < all.length; i++) {
            byte[] bytes = made.replace("Made_00000000", String.format("Made_%08d", i + 1)).getBytes(StandardCharsets.ISO_8859_1);
            all[i] = (Runnable) loader.define(bytes).getConstructor().newInstance();
        }
        System.out.println("ready");
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine();) {
            lines.nextLine();
            for (Runnable one : all) one.run();
            System.out.println("done");
        }
    }

    static class Loader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }
}
