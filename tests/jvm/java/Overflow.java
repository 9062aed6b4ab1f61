import java.util.Map;
import java.util.TreeMap;

/** Runs out of stack the given number of times in timed methods, then continues. */
final class Overflow {
    static int entered, caught;
    static final Map<String, Integer> OTHERS = new TreeMap<>();

    static int deep(int n) {
        entered++;
        return leaf(n) + left(n + 1);
    }

    static int left(int n) {
        try {
            return n % 2 == 0 ? deep(n) : right(n);
        } finally {
            caught++;
        }
    }

    static synchronized int right(int n) {
        return deep(n) + n;
    }

    /** Makes the stack end at a different point each time. */
    static void pad(int n, long a, long b, long c) {
        if (n == 0) deep(0); else pad(n - 1, c, a, b);
    }

    static void overflows(int n) {
        try {
            pad(n, 1, 2, 3);
        } catch (StackOverflowError e) {
            for (StackTraceElement frame : e.getStackTrace()) {
                if (!frame.getClassName().equals("Overflow")) OTHERS.merge(frame.getClassName() + "." + frame.getMethodName(), 1, Integer::sum);
            }
        }
    }

    static int later(int n) {
        return n + leaf(n);
    }

    static int leaf(int n) {
        return n;
    }

    static void calls() {
        for (int i = 0; i < 1000; i++) later(i);
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        Thread t = new Thread(null, () -> {
            for (int i = 0; i < times; i++) overflows(i);
            calls();
        }, "deep", 512 << 10);
        t.start();
        t.join();
        System.out.println("entered " + entered + " others " + OTHERS + " lock " + Thread.holdsLock(Overflow.class));
    }
}
