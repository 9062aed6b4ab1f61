import java.util.concurrent.CountDownLatch;

/** 2,000 platform threads that live at once: enough for collisions in any table of threads. */
final class Many {
    static void call() {
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[2000];
        CountDownLatch all = new CountDownLatch(threads.length);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(null, () -> {
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                for (int k = 0; k < 100; k++) call();
            }, "t" + i, 128 << 10);
            threads[i].start();
        }
        for (Thread t : threads) t.join();
    }
}
