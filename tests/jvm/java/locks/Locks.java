import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that are blocked at monitors for known times, which it prints. */
public class Locks {
    static final class Till {}
    static final class Shelf {}
    static final class Bell {}

    static final Till till = new Till();
    static final Shelf shelf = new Shelf();
    static final Bell bell = new Bell();
    static final int UNIT = Integer.getInteger("unit", 100);
    static int sum;

    static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void until(Thread.State state, Thread... threads) {
        for (Thread one : threads)
            while (one.getState() != state && one.isAlive()) sleep(1);
    }

    static void join(Thread... threads) throws InterruptedException {
        for (Thread one : threads) one.join();
    }

    // ---- one holds the till, others come, for three units and one

    static void hold(long ms, CountDownLatch has) {
        synchronized (till) {
            has.countDown();
            sleep(ms);
        }
    }

    static void pay() {
        synchronized (till) {
            sum++;
        }
    }

    static void held(String name, int units) throws InterruptedException {
        CountDownLatch has = new CountDownLatch(1);
        Thread holder = start(name, () -> hold(units * UNIT, has));
        has.await();
        long begin = System.nanoTime();
        Thread[] payers = {start("payer-1", Locks::pay), start("payer-2", Locks::pay)};
        until(Thread.State.BLOCKED, payers);
        join(holder);
        join(payers);
        System.out.println(name + " " + (System.nanoTime() - begin));
    }

    // ---- waits: two that are notified, one that is not

    static void await(long ms) {
        synchronized (bell) {
            try {
                bell.wait(ms);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static void waits() throws InterruptedException {
        long begin = System.nanoTime();
        Thread[] two = {start("waits-1", () -> await(0)), start("waits-2", () -> await(0))};
        until(Thread.State.WAITING, two);
        sleep(2 * UNIT);
        synchronized (bell) {
            bell.notifyAll();
        }
        join(two);
        System.out.println("waits " + (System.nanoTime() - begin));
        join(start("waits-3", () -> await(UNIT)));
    }

    // ---- many threads: each tells how often it was blocked, by the JVM's own count

    static void grab(int n) {
        for (int i = 0; i < n; i++)
            synchronized (shelf) {
                sum++;
                if (i % 16 == 0) Thread.yield();
            }
    }

    static void many(int threads, int times) throws InterruptedException {
        var bean = java.lang.management.ManagementFactory.getThreadMXBean();
        long[] blocked = new long[threads];
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = start("grabs-" + i, () -> {
                grab(times);
                blocked[number] = bean.getThreadInfo(Thread.currentThread().getId()).getBlockedCount();
            });
        }
        join(all);
        System.out.println("many " + java.util.Arrays.stream(blocked).sum());
    }

    // ---- virtual threads, by reflection: this is compiled for JDK 17

    static void virtual() throws Exception {
        CountDownLatch has = new CountDownLatch(1);
        Thread holder = start("holds-for-virtual", () -> hold(2 * UNIT, has));
        has.await();
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Thread[] payers = new Thread[4];
        for (int i = 0; i < payers.length; i++) payers[i] = (Thread) start.invoke(null, (Runnable) Locks::pay);
        join(holder);
        join(payers);
    }

    // ---- deadlocks: of three threads at monitors, and of two at locks

    static void both(Object first, Object second, CountDownLatch has) {
        synchronized (first) {
            meet(has);
            synchronized (second) {
                sum++;
            }
        }
    }

    static void meet(CountDownLatch has) {
        has.countDown();
        try {
            has.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void lockBoth(ReentrantLock first, ReentrantLock second, CountDownLatch has) {
        first.lock();
        meet(has);
        second.lock();
    }

    static void deadlock() {
        CountDownLatch three = new CountDownLatch(3), two = new CountDownLatch(2);
        until(Thread.State.BLOCKED,
            start("buys", () -> both(till, shelf, three)), start("fills", () -> both(shelf, bell, three)), start("rings", () -> both(bell, till, three)));
        ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
        until(Thread.State.WAITING, start("left", () -> lockBoth(a, b, two)), start("right", () -> lockBoth(b, a, two)));
    }

    public static void main(String[] parts) throws Exception {
        for (String part : parts)
            switch (part) {
                case "held" -> {
                    held("holds-3", 3);
                    held("holds-1", 1);
                }
                case "waits" -> waits();
                case "many" -> many(8, 200_000);
                case "virtual" -> virtual();
                case "deadlock" -> deadlock();
                case "asked" -> { // as often as there are lines
                    System.out.println("ready");
                    for (int c; (c = System.in.read()) != -1;) if (c == '\n') held("holds-1", 1);
                }
                case "forever" -> {
                    System.out.println("ready");
                    System.out.flush();
                    System.in.read();
                }
                default -> throw new IllegalArgumentException(part);
            }
    }
}
