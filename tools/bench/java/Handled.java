import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** Calls a method in bursts; in the pauses between them others may do what they have to. Prints the median time of a call in ns. */
public class Handled {
    static class Inner {
        String state = "OLD";
    }

    static final int BURST = 500;
    static final long PAUSE_NS = 500_000;

    String state = "OLD";
    Inner inner = new Inner();
    long sum;

    void place(String what, int count) {
        sum += count;
    }

    /** After the last one. */
    static void told() {}

    void burst(String[] names) { for (int i = 0; i < BURST; i++) place(names[i & 3], i & 127); }

    public static void main(String[] args) throws InterruptedException {
        int bursts = Integer.parseInt(args[0]);
        String[] names = {"ann", "bob", new String("eve"), "tom"};
        long[] took = new long[bursts];
        Handled handled = new Handled();
        for (int i = -bursts; i < bursts; i++) {
            long start = System.nanoTime();
            handled.burst(names);
            long end = System.nanoTime();
            if (i >= 0) took[i] = end - start;
            LockSupport.parkNanos(PAUSE_NS);
        }
        told();
        Arrays.sort(took);
        System.out.printf(Locale.ROOT, "%nns %.3f%n", (double) took[bursts / 2] / BURST);
    }
}
