package known21;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** 10,000 virtual threads that leave their carriers in the middle of timed methods: asleep, at locks, parked, yielding. */
final class Virtual {
    static final ReentrantLock LOCK = new ReentrantLock(); // <clinit> calls 1
    static final AtomicLong SUM = new AtomicLong();

    static void sleeps(int n) throws InterruptedException { // calls 10000
        Thread.sleep(1 + n % 3);
    }

    static int locks(int n) { // calls 10000 exceptions 1000
        LOCK.lock();
        try {
            if (n % 10 == 0) throw Stop.INSTANCE;
            Thread.yield();
            return leaf(n);
        } finally {
            LOCK.unlock();
        }
    }

    static int leaf(int n) { // calls 9000
        return n;
    }

    /** Recursive, and unmounts at each depth. */
    static int recursive(int n) { // calls 40000
        if (n == 0) return 0;
        Thread.yield();
        return 1 + recursive(n - 1);
    }

    static void waits(CountDownLatch gate) throws InterruptedException { // calls 10000
        gate.await();
    }

    static void work(int n, CountDownLatch gate) { // calls 10000
        try {
            waits(gate);
            sleeps(n);
            SUM.addAndGet(recursive(3));
            SUM.addAndGet(locks(n));
        } catch (Stop e) {
            SUM.incrementAndGet();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static final class Stop extends RuntimeException {
        static final Stop INSTANCE = new Stop(); // <clinit> calls 1

        Stop() { // calls 1
            super("stop", null, false, false);
        }
    }

    static void run() { // calls 1
        var gate = new CountDownLatch(1);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 10000; i++) {
                int n = i;
                executor.submit(() -> work(n, gate)); // lambda calls 10000
            }
            gate.countDown();
        }
        System.out.println("virtual " + SUM);
    }
}
