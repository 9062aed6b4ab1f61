import java.util.ArrayList;
import java.util.List;

/** Allocates known objects, and keeps a known part of them. */
public final class Sites {
    static final List<Object> KEPT = new ArrayList<>(100_000);

    static final class Some {
        long a, b;
    }

    static final class All {
        long a, b, c;
    }

    static synchronized void keep(Object o, boolean wanted) {
        if (wanted) KEPT.add(o);
    }

    static void some() {
        for (int i = 0; i < 10_000; i++) keep(new Some(), i % 20 == 0);
    }

    static void all() {
        for (int i = 0; i < 30_000; i++) keep(new All(), true);
    }

    static void nested() {
        for (int i = 0; i < 5_000; i++) keep(new int[3][40], i % 5 == 0);
    }

    static void jdks() {
        for (int i = 0; i < 1_000; i++) keep(new ArrayList<>(50), i % 4 == 0);
    }

    static void work() {
        some();
        all();
        nested();
        jdks();
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            work();
        } else {
            Thread[] threads = new Thread[args.length];
            for (int i = 0; i < args.length; i++) (threads[i] = new Thread(Sites::some, args[i])).start();
            for (Thread one : threads) one.join();
        }
        System.out.println("done " + KEPT.size());
    }
}
