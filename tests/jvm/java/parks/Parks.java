import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that want a lock of java.util.concurrent for known times, one that waits for a latch, and with "pinned" a virtual thread that cannot leave its carrier. */
public class Parks {
    static final int UNIT = 100;
    static final ReentrantLock safe = new ReentrantLock();
    static final CountDownLatch bell = new CountDownLatch(1);

    static void pay() {
        safe.lock();
        safe.unlock();
    }

    static void listen() throws InterruptedException {
        bell.await();
    }

    static void count() throws InterruptedException {
        safe.lock();
        try {
            long start = System.nanoTime();
            for (String name : new String[] {"one", "two", "three"}) new Thread(Parks::pay, name).start();
            while (safe.getQueueLength() < 3) LockSupport.parkNanos(1);
            Thread.sleep(UNIT);
            System.out.println("held " + (System.nanoTime() - start));
        } finally {
            safe.unlock();
        }
    }

    /** Its initializer parks with a native frame of the JVM below. */
    static class Slow {
        static {
            try {
                Thread.sleep(5 * UNIT);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        static void use() {}
    }

    public static void main(String[] args) throws Exception {
        Thread auditor = new Thread(() -> {
            try {
                count();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "auditor");
        auditor.start();
        Thread listener = new Thread(() -> {
            try {
                listen();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "listener");
        listener.start();
        auditor.join();
        bell.countDown();
        listener.join();
        if (args.length > 0) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            type.getMethod("name", String.class).invoke(builder, "stuck");
            ((Thread) type.getMethod("start", Runnable.class).invoke(builder, (Runnable) Slow::use)).join();
        }
    }
}
