/** Loops of known length, alone and in a method that takes as long itself; prints ns a call of each: the loop's, and the caller's with it. */
public class Lengths {
    static final int[] STEPS = {8, 25, 60, 250, 1000, 4000}; // some 20 ns to 10 us
    static volatile double sink;

    /** Each step waits for the one before, and so does the next loop. */
    static double loop(int steps, double x) { for (int i = 0; i < steps; i++) x = x * 0.999 + 1; return x; }

    static double callee0(int s, double x) { return loop(s, x); }
    static double callee1(int s, double x) { return loop(s, x); }
    static double callee2(int s, double x) { return loop(s, x); }
    static double callee3(int s, double x) { return loop(s, x); }
    static double callee4(int s, double x) { return loop(s, x); }
    static double callee5(int s, double x) { return loop(s, x); }

    static double caller0(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee0(s, loop(s, x)); return x; }
    static double caller1(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee1(s, loop(s, x)); return x; }
    static double caller2(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee2(s, loop(s, x)); return x; }
    static double caller3(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee3(s, loop(s, x)); return x; }
    static double caller4(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee4(s, loop(s, x)); return x; }
    static double caller5(int s, int n) { double x = 0; for (int i = 0; i < n; i++) x = callee5(s, loop(s, x)); return x; }

    static double caller(int which, int s, int n) {
        return switch (which) {
            case 0 -> caller0(s, n);
            case 1 -> caller1(s, n);
            case 2 -> caller2(s, n);
            case 3 -> caller3(s, n);
            case 4 -> caller4(s, n);
            default -> caller5(s, n);
        };
    }

    /** Batches of 100 calls; prints what one call takes in the median of the later ones, for each length. */
    public static void main(String[] args) {
        for (int which = 0; which < STEPS.length; which++) {
            int s = STEPS[which], batches = Math.max(2000, 5_000_000 / s / 100);
            long[] took = new long[batches];
            for (int i = 0; i < batches; i++) {
                long began = System.nanoTime();
                sink = caller(which, s, 100);
                took[i] = System.nanoTime() - began;
            }
            java.util.Arrays.sort(took, batches / 2, batches);
            System.out.printf(java.util.Locale.ROOT, "%.2f%n", took[batches * 3 / 4] / 100.0);
        }
    }
}
