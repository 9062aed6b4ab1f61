/** Calls an empty method in many short batches; prints nanoseconds a call: of the fastest batch, and of the one in the middle. */
public class Calls {
    static final int CALLS = 20_000, BATCHES = 400;
    static int guard;

    static void empty(int i) { if (i < 0) guard++; }

    static void calls(int n) { for (int i = 0; i < n; i++) empty(i); }

    public static void main(String[] args) {
        for (int i = 0; i < BATCHES / 2; i++) calls(CALLS);
        double[] took = new double[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            long began = System.nanoTime();
            calls(CALLS);
            took[i] = (double) (System.nanoTime() - began) / CALLS;
        }
        java.util.Arrays.sort(took);
        System.out.printf(java.util.Locale.ROOT, "%.3f %.3f%n", took[0], took[BATCHES / 2]);
    }
}
