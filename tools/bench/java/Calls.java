/** Calls an empty method in many short batches, or one that makes an object; prints nanoseconds a call: of the fastest batch, and of the one in
 * the middle. */
public class Calls {
    static final int CALLS = 20_000, BATCHES = 400;
    static int guard;
    static Object last;

    static void empty(int i) { if (i < 0) guard++; }

    static void calls(int n) { for (int i = 0; i < n; i++) empty(i); }

    static void objects(int n) { for (int i = 0; i < n; i++) last = new Object(); }

    static void batch(boolean objects) {
        if (objects) objects(CALLS);
        else calls(CALLS);
    }

    public static void main(String[] args) {
        boolean objects = args.length > 0 && args[0].equals("objects");
        for (int i = 0; i < BATCHES / 2; i++) batch(objects);
        double[] took = new double[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            long began = System.nanoTime();
            batch(objects);
            took[i] = (double) (System.nanoTime() - began) / CALLS;
        }
        java.util.Arrays.sort(took);
        System.out.printf(java.util.Locale.ROOT, "%.3f %.3f%n", took[0], took[BATCHES / 2]);
    }
}
