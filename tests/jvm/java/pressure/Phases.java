/** Counts in 4 threads, and waits between the phases until Meddler has meddled more often. */
final class Phases {
    static final class Item {
        long value;
    }

    static Object sink;

    static int call(int n) {
        sink = new Item();
        if (n % 1000 == 0) throw new IllegalStateException();
        return n;
    }

    static void phase(int n) {
        for (int i = 0; i < n; i++) {
            try {
                call(i);
            } catch (IllegalStateException e) {
                sink = e;
            }
        }
    }

    static void work(int phases, int n) {
        try {
            for (int i = 1; i <= phases; i++) {
                phase(n);
                while (Meddler.rounds < i) {
                    phase(0);
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Begins before the first redefinition, ends after the last. */
    static void whole(int phases, int n) throws Exception {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(() -> work(phases, n))).start();
        for (Thread t : threads) t.join();
    }

    public static void main(String[] args) throws Exception {
        whole(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        System.out.println("done");
    }
}
