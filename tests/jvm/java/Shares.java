import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Programs in which it is known by construction what part of the time each method takes: methods whose names end with a number run a loop of
 * so many times the same length. Methods of one part have the same prefix.
 */
public class Shares {
    static final int UNIT = 100_000;
    static volatile double sink;

    // ---- a hot loop in a leaf that is inlined: the loop writes nothing

    static double leaf1(int n) {
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    static double leaf3(int n) {
        double y = leaf1(n), x = n;
        for (int i = 0; i < 3 * n; i++) x = x * 0.999 + 1;
        return x + y;
    }

    // ---- a chain of tiny methods

    static double chainA(int n) { return chainB(n) + 1; }
    static double chainB(int n) { return chainC(n) + 1; }
    static double chainC(int n) { return chain1(n) + 1; }

    static double chain1(int n) {
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    // ---- recursion

    static double recursion1(int depth, int n) {
        double x = depth == 0 ? 0 : recursion1(depth - 1, n);
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    static double recursion3(int n) {
        double x = recursion1(9, n / 10);
        for (int i = 0; i < 3 * n; i++) x = x * 0.999 + 1;
        return x;
    }

    // ---- exceptions through five frames

    static double raise1(int depth, int n) {
        if (depth > 0) return raise1(depth - 1, n) + 1;
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        sink = x;
        throw new IllegalStateException();
    }

    static double raise3(int n) {
        double x = n;
        try {
            x = raise1(4, n);
        } catch (IllegalStateException e) {
            for (int i = 0; i < 3 * n; i++) x = x * 0.999 + 1;
        }
        return x;
    }

    // ---- callers that differ only in what they call

    static double callers1(int n) { return callee(n, 1); }
    static double callers3(int n) { return callee(n, 3); }

    static double callee(int n, int times) {
        double x = n;
        for (int i = 0; i < n * times; i++) x = x * 0.999 + 1;
        return x;
    }

    // ---- threads

    static double threads1(int n) {
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    static double threads3(int n) {
        double x = n;
        for (int i = 0; i < 3 * n; i++) x = x * 0.999 + 1;
        return x;
    }

    static void threads(int number, long rounds) throws Exception {
        Thread[] all = new Thread[number];
        for (int t = 0; t < number; t++) {
            (all[t] = new Thread(() -> { for (long i = 0; i < rounds; i++) sink = threads1(UNIT) + threads3(UNIT); })).start();
        }
        for (Thread t : all) t.join();
    }

    // ---- virtual threads that change their carriers within their methods

    static double virtual1(int n) {
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        Thread.yield();
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    static double virtual3(int n) {
        double x = virtual1(n);
        LockSupport.parkNanos(100_000);
        for (int i = 0; i < 6 * n; i++) x = x * 0.999 + 1;
        return x;
    }

    static void virtual(long rounds) throws Exception {
        ExecutorService all = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int t = 0; t < 40; t++) all.submit(() -> { for (long i = 0; i < rounds; i++) sink = virtual3(UNIT); });
        all.shutdown();
        while (!all.isTerminated()) Thread.sleep(10);
    }

    // ---- a thread that waits

    static void waits() throws InterruptedException {
        Thread.sleep(300);
    }

    // ---- tasks whose exceptions are caught by code that is not instrumented

    static double fails() {
        double x = 1;
        for (int i = 0; i < 1000; i++) x = x * 0.999 + 1;
        if (x > 0) throw new IllegalArgumentException();
        return x;
    }

    static double succeeds(int n) {
        double x = n;
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return x;
    }

    static void tasks(long rounds) throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor();
        for (int i = 0; i < 10_000; i++) one.submit(Shares::fails);
        Future<?> last = null;
        for (long i = 0; i < rounds; i++) last = one.submit(() -> sink = succeeds(UNIT));
        last.get();
        one.shutdown();
    }

    interface Part { void run(long rounds) throws Exception; }

    static void part(Part part) throws Exception {
        part.run(ROUNDS);
    }

    static final long ROUNDS = Long.getLong("rounds", 600);

    public static void main(String[] args) throws Exception {
        part(rounds -> { for (long i = 0; i < 2 * rounds; i++) sink = leaf3(UNIT); });
        part(rounds -> { for (long i = 0; i < 2000 * rounds; i++) sink = chainA(200); });
        part(rounds -> { for (long i = 0; i < 2 * rounds; i++) sink = recursion3(UNIT); });
        part(rounds -> { for (long i = 0; i < 2 * rounds; i++) sink = raise3(UNIT); });
        part(rounds -> { for (long i = 0; i < 2 * rounds; i++) sink = callers1(UNIT) + callers3(UNIT); });
        part(rounds -> threads(200, rounds / 30));
        if (Runtime.version().feature() >= 21) part(rounds -> virtual(rounds / 20));
        part(rounds -> tasks(rounds));
        long before = System.nanoTime();
        waits();
        System.out.println("waited " + (System.nanoTime() - before));
        System.out.println(sink > 0);
    }
}
