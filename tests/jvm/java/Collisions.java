/** Three threads that live at once, whose ids differ by 2^20: they share a place in any table that is indexed by some low bits. */
final class Collisions {
    static final int STEP = 1 << 20, CALLS = 500_000;
    static volatile int ready;

    static int call(int n) {
        return n ^ 1;
    }

    static void work() {
        ready++;
        while (ready < 3) Thread.onSpinWait();
        for (int n = 0, k = 0; n < CALLS; n++) k = call(k);
    }

    @SuppressWarnings("deprecation") // threadId() came with 19
    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            do threads[i] = new Thread(Collisions::work); while ((threads[i].getId() - threads[0].getId()) % STEP != 0);
        }
        for (int i = 0; i < threads.length; i++) {
            threads[i].start();
            while (ready < i + 1) Thread.onSpinWait(); // one writer of `ready` at a time
        }
        for (Thread t : threads) t.join();
        Thread last = new Thread(Collisions::work); // when their place is free again
        last.start();
        last.join();
    }
}
