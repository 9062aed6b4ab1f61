import java.util.List;

/** Methods that scripts have fail, wait or return something else. */
public class Faults {
    static final class Broken extends RuntimeException {
        Broken(String why) {
            super(why);
        }
    }

    public static class Open extends Exception {
        public Open() {}

        public Open(String why) {
            super(why);
        }
    }

    String state = "new";
    final int size;

    Faults(int size) {
        this(size, "x");
    }

    Faults(int size, String why) {
        this.size = size;
    }

    int number(int a, long b) {
        while (a < 3) a++;
        return a + (int) b;
    }

    static long wide(long a) {
        return a;
    }

    static double real(double a) {
        return a;
    }

    static boolean truth() {
        return true;
    }

    static char letter() {
        return 'a';
    }

    static byte small() {
        return 1;
    }

    static float single() {
        return 1;
    }

    static String text(String a) {
        return a;
    }

    static Integer boxed() {
        return 1;
    }

    static Object any() {
        return "any";
    }

    static List<String> list() {
        return List.of("one");
    }

    synchronized void nothing() {
        System.out.println("called nothing");
    }

    private static void tell(String what, java.util.function.Supplier<Object> call) {
        String found;
        try {
            found = String.valueOf(call.get());
        } catch (Throwable e) {
            found = e + " at " + e.getStackTrace()[0].getMethodName();
        }
        System.out.println(what + " " + found);
    }

    static void all() {
        tell("number", () -> new Faults(4).number(1, 2));
        tell("number9", () -> new Faults(4).number(9, 2));
        tell("size", () -> new Faults(7).size);
        tell("wide", () -> wide(5));
        tell("real", () -> real(1.5));
        tell("truth", () -> truth());
        tell("letter", () -> letter());
        tell("small", () -> small());
        tell("single", () -> single());
        tell("text", () -> text("own"));
        tell("textnull", () -> text(null));
        tell("boxed", () -> boxed());
        tell("any", () -> any());
        tell("list", () -> list());
        tell("nothing", () -> {
            new Faults(1).nothing();
            return null;
        });
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < (words.length > 0 ? Integer.parseInt(words[0]) : 1); i++) {
            if (i > 0) Thread.sleep(100);
            all();
        }
        long start = System.nanoTime();
        Thread.currentThread().interrupt();
        wide(1);
        System.out.println("interrupted " + Thread.interrupted() + " " + (System.nanoTime() - start > 20_000_000_000L));
    }
}
