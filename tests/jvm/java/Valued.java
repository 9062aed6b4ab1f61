import java.util.ArrayList;
import java.util.List;

/** Calls with numbers that are known. The arguments: rounds, threads, their kind, and whether the JVM is halted at the end. In round i of n, unless a method says
 * something else, the number is i. */
public class Valued {
    static final class Page {
        final String tenant;
        final Integer boxed;
        final int[] items;
        private long size;
        final float weight;
        final Double price;

        Page(String tenant, int size) {
            this.tenant = tenant;
            this.size = size;
            this.boxed = size;
            this.weight = size / 4f;
            this.price = size % 5 == 0 ? null : size / 100.0;
            this.items = new int[size % 10];
        }

        long grow(int by) {
            size += by;
            return size;
        }
    }

    static int number(int i) {
        return i;
    }

    static long large(long i) {
        return i << 40;
    }

    static short negative(short i) {
        return (short) -i;
    }

    static List<Integer> list(int i) {
        List<Integer> made = new ArrayList<>();
        for (int k = 0; k < i % 7; k++) made.add(k);
        return i % 10 == 9 ? null : made;
    }

    static Page page(Page page, String key) {
        if (page.size % 4 == 3) throw new IllegalStateException();
        return page;
    }

    static double real(double d) {
        return d;
    }

    static float wide(float f) {
        return f;
    }

    static double huge(double d) {
        return d;
    }

    static long time(long ns) {
        return ns;
    }

    static String text(String s) {
        return s;
    }

    static Number mixed(Number n) {
        return n;
    }

    static int early(int i) {
        if (i % 2 == 0) return 2 * i;
        return i > 1_000_000 ? 0 : 3 * i;
    }

    static long span(int from, long to, Page page) {
        long took = to - from;
        from = 7;
        page = null;
        return took;
    }

    static void run(int n) {
        for (int i = 0; i < n; i++) {
            number(i);
            large(i);
            negative((short) (i % 1000));
            list(i);
            Page page = new Page("t" + i % 2, i);
            page.grow(1);
            try {
                page(page, "k" + i % 3);
            } catch (IllegalStateException e) {
            }
            real(i % 10 == 9 ? Double.NaN : i / 1000.0 - 0.25);
            wide(i * 1e9f);
            mixed(i % 2 == 0 ? (Number) i : (Number) (i + 0.5));
            text("t");
            huge(i % 2 == 0 ? Double.MAX_VALUE : 1e12 + i);
            time(1_700_000_000_000_000_000L + i);
            early(i);
            span(i, 3L * i, i % 7 == 6 ? null : page);
        }
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]), n = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            Runnable work = () -> run(times);
            threads[i] = args[2].equals("virtual") ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work) : new Thread(work);
            if (!args[2].equals("virtual")) threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        if (args.length > 3) Runtime.getRuntime().halt(0);
    }
}
