import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;

/** A task of one test, on a thread of its own and on a pool's, goes on when a second test has begun. */
public class Overlap {
    static void beginA() {}

    static void endA() {}

    static void beginB() {}

    static void endB() {}

    static void early() {}

    static void late() {}

    public static void main(String[] args) throws Exception {
        var pool = Executors.newFixedThreadPool(1);
        pool.submit(() -> {}).get();
        beginA();
        var started = new CountDownLatch(2);
        var go = new CountDownLatch(1);
        Runnable body =
                () -> {
                    early();
                    started.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    for (int i = 0; i < 10; i++) late();
                };
        var own = new FutureTask<Void>(body, null);
        new Thread(own).start();
        var pooled = pool.submit(body);
        started.await();
        var second =
                new Thread(
                        () -> {
                            beginB();
                            go.countDown();
                            try {
                                own.get();
                                pooled.get();
                            } catch (Exception e) {
                                throw new AssertionError(e);
                            }
                            endB();
                        });
        second.start();
        second.join();
        endA();
        pool.shutdown();
    }
}
