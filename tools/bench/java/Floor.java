/** Many batches of calls of an empty method, and what comes with each: no more, a native method that does nothing, one that reads the processor's counter,
 * or two of these around it, as in a timed call. Prints nanoseconds a call, of the fastest batch. */
public class Floor {
    static final int CALLS = 20_000, BATCHES = 400;
    static int guard;

    static native int nothing(int i);

    static native int reading(int i);

    static void empty(int i) { if (i < 0) guard++; }

    static void bare() { for (int i = 0; i < CALLS; i++) empty(i); }

    static void call() { for (int i = 0; i < CALLS; i++) empty(nothing(i)); }

    static void read() { for (int i = 0; i < CALLS; i++) empty(reading(i)); }

    static void around() {
        for (int i = 0; i < CALLS; i++) {
            int x = reading(i);
            empty(x);
            guard += reading(x) - x;
        }
    }

    public static void main(String[] args) {
        if (args.length > 1) System.load(args[1]);
        double best = Double.MAX_VALUE;
        for (int i = 0; i < BATCHES * 3 / 2; i++) {
            long began = System.nanoTime();
            switch (args[0]) {
                case "call" -> call();
                case "read" -> read();
                case "around" -> around();
                default -> bare();
            }
            best = Math.min(best, (double) (System.nanoTime() - began) / CALLS);
        }
        System.out.printf(java.util.Locale.ROOT, "%.3f%n", best);
    }
}
