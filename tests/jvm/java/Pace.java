/** Tiny hot methods below a slow one, in two threads. */
public class Pace {
    static long sink;

    static int tiny(int i) { return Math.min(i & 7, 5); }

    static int once() { return 1; }

    static void failing(int i) { if (i % 2 == 0) throw new IllegalStateException(); }

    static int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += tiny(i);
        return sum;
    }

    static void body(int n) {
        long sum = loop(n);
        for (int i = 0; i < 1000; i++) {
            try { failing(i); } catch (IllegalStateException e) { sum++; }
        }
        sink += sum;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        once();
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) (threads[t] = new Thread(() -> body(n))).start();
        for (Thread t : threads) t.join();
        System.out.println(sink > 0);
    }
}
