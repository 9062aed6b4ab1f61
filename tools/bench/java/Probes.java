import java.util.concurrent.CountDownLatch;

/** Calls an empty method, or allocates, many times in each of some threads; prints nanoseconds per round. */
public class Probes {
    static final int ROUNDS = 20_000_000;
    static volatile Object sink;

    static void empty() {}

    static Object make() { return new Object(); }

    static void calls(int n) { for (int i = 0; i < n; i++) empty(); }

    static void allocations(int n) { for (int i = 0; i < n; i++) sink = make(); }

    static void work(String kind, int n) {
        switch (kind) {
            case "alloc" -> allocations(n);
            default -> calls(n);
        }
    }

    public static void main(String[] args) throws Exception {
        String kind = args[0];
        int threads = Integer.parseInt(args[1]);
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : ROUNDS;
        for (int i = 0; i < 20; i++) work(kind, rounds / 20);
        CountDownLatch start = new CountDownLatch(1);
        Thread[] all = new Thread[threads];
        long[] took = new long[threads];
        for (int t = 0; t < threads; t++) {
            int me = t;
            (all[t] = new Thread(() -> {
                try { start.await(); } catch (InterruptedException e) { return; }
                work(kind, rounds / 4);
                long began = System.nanoTime();
                work(kind, rounds);
                took[me] = System.nanoTime() - began;
            })).start();
        }
        start.countDown();
        long slowest = 0;
        for (int t = 0; t < threads; t++) { all[t].join(); slowest = Math.max(slowest, took[t]); }
        System.out.printf(java.util.Locale.ROOT, "%.4f%n", (double) slowest / rounds);
    }
}
