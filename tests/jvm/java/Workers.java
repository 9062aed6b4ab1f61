import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What each thread does is known: calls of `step`, each of which makes an Item. */
public class Workers {
    static final int MAIN = 7, ALPHA = 10_000, BETA = 300, TASKS = 40, EACH = 25, SHORT = 2, VIRTUAL = 20;
    static volatile long sink;
    static final Object MONITOR = new Object();

    static class Item {
        final long value;

        Item(long value) {
            this.value = value;
        }
    }

    static void step(int n) {
        sink += new Item(n).value;
    }

    static void steps(int n) {
        for (int i = 0; i < n; i++) step(i);
    }

    static void burn(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < end) sink++;
    }

    static void locked() {
        synchronized (MONITOR) {
            sink++;
        }
    }

    static Thread started(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.start();
        return thread;
    }

    /** Each of its three threads runs each time: the tasks wait for each other. */
    static void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        CyclicBarrier all = new CyclicBarrier(3);
        for (int i = 0; i < TASKS; i++) {
            List<Future<?>> tasks = new ArrayList<>();
            for (int k = 0; k < 3; k++)
                tasks.add(pool.submit(() -> {
                    all.await();
                    steps(EACH);
                    return null;
                }));
            for (Future<?> task : tasks) task.get();
        }
        pool.shutdown();
    }

    static void shortThreads(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            Thread thread = new Thread(() -> steps(SHORT));
            thread.start();
            thread.join();
        }
    }

    static void virtual(int n) throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < n; i++)
            all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {
                steps(VIRTUAL / 2);
                pause(2);
                steps(VIRTUAL / 2);
            }));
        for (Thread thread : all) thread.join();
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void contend() throws Exception {
        Thread waits;
        synchronized (MONITOR) {
            waits = started("contender", Workers::locked);
            while (waits.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
            pause(60);
        }
        waits.join();
    }

    public static void main(String[] args) throws Exception {
        int shorts = Integer.parseInt(args[0]), virtuals = Integer.parseInt(args[1]);
        long millis = Long.parseLong(args[2]);
        steps(MAIN);
        started("alpha", () -> {
            steps(ALPHA);
            burn(3 * millis);
        }).join();
        started("beta", () -> steps(BETA)).join();
        started("beta", () -> {
            steps(BETA);
            burn(millis);
        }).join();
        pool();
        shortThreads(shorts);
        virtual(virtuals);
        contend();
        if (args.length > 3) {
            started("stays", () -> {
                steps(1);
                System.out.println("counted");
                pause(600_000);
            });
        }
    }
}
