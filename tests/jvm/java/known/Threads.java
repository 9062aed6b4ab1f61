package known;

/** Eight threads at once: no count is lost. */
final class Threads {
    static final int THREADS = 8;
    static final java.util.concurrent.atomic.AtomicLong SUM = new java.util.concurrent.atomic.AtomicLong(); // <clinit> calls 1

    static int tick(int n) { // calls 80000 exceptions 8000
        if (n % 10 == 9) throw Stop.INSTANCE;
        return n & 1;
    }

    static int nested(int n) { // calls 40000
        return n <= 0 ? 0 : 1 + nested(n - 1);
    }

    static final class Stop extends RuntimeException {
        static final Stop INSTANCE = new Stop(); // <clinit> calls 1

        Stop() { // calls 1
            super("stop", null, false, false);
        }
    }

    static void work() { // calls 8
        long sum = 0;
        for (int n = 0; n < 10000; n++) {
            try {
                sum += tick(n);
            } catch (Stop e) {
                sum += 3;
            }
        }
        for (int i = 0; i < 1000; i++) sum += nested(4);
        SUM.addAndGet(sum);
    }

    static void run() throws InterruptedException { // calls 1
        var gate = new java.util.concurrent.CountDownLatch(1);
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                try {
                    gate.await(); // lambda calls 8
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                work();
            });
            threads[i].start();
        }
        gate.countDown();
        for (Thread t : threads) t.join();
        System.out.println("threads " + SUM);
    }
}
