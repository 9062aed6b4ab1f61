import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CountDownLatch;

/** Threads whose CPU time is known: a part takes so many units of its own thread's CPU clock. The arguments name the parts. */
public class Stacks {
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    static final long UNIT = Long.getLong("unit", 300) * 1_000_000;
    static volatile long sink;

    static long cpu() {
        return CLOCK.getCurrentThreadCpuTime();
    }

    static void spin() {
        long x = sink;
        for (int i = 0; i < 20_000; i++) x = x * 31 + (x >>> 7);
        sink = x;
    }

    static void one() {
        for (long end = cpu() + UNIT; cpu() < end;) spin();
    }

    static void three() {
        for (long end = cpu() + 3 * UNIT; cpu() < end;) spin();
    }

    static void both() throws Exception {
        Thread a = new Thread(Stacks::one), b = new Thread(Stacks::three);
        a.start();
        b.start();
        a.join();
        b.join();
    }

    static void words() {
        for (long end = cpu() + UNIT; cpu() < end;) sink += "a1b22c333d4444".repeat(20).split("[0-9]+x?").length;
    }

    static void works() {
        for (long end = cpu() + 2_000_000; cpu() < end;) spin();
    }

    /** A unit of work, in small pieces. */
    static void naps() throws Exception {
        for (long i = 0; i < UNIT / 2_000_000; i++) {
            works();
            Thread.sleep(2);
        }
    }

    static void bottom() {
        for (long end = cpu() + UNIT; cpu() < end;) spin();
    }

    static void recursion(int n) {
        if (n > 0) recursion(n - 1);
        else bottom();
    }

    static void step(int i) {
        sink += i;
    }

    /** Hardly anything but calls. */
    static void steps() {
        for (long end = cpu() + UNIT; cpu() < end;)
            for (int i = 0; i < 10_000; i++) step(i);
    }

    /** More threads than processors, each with a unit of work. */
    static void busy() throws Exception {
        Thread[] threads = new Thread[8 * Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(Stacks::one)).start();
        for (Thread thread : threads) thread.join();
    }

    /** Of a loader that is dropped at once, and with it the class. */
    static void unloading() throws Exception {
        URL place = Stacks.class.getProtectionDomain().getCodeSource().getLocation();
        for (int i = 0; i < 15; i++) {
            try (URLClassLoader loader = new URLClassLoader(new URL[] {place}, ClassLoader.getPlatformClassLoader())) {
                ((Runnable) loader.loadClass("Dropped").getDeclaredConstructor().newInstance()).run();
            }
            System.gc();
        }
    }

    static void churn() throws Exception {
        for (int i = 0; i < 100; i++) {
            Thread[] threads = new Thread[20];
            for (int j = 0; j < threads.length; j++) (threads[j] = new Thread(Stacks::spin)).start();
            for (Thread thread : threads) thread.join();
        }
    }

    static void virtual1() {
        for (int i = 0; i < 5_000; i++, Thread.yield()) spin();
    }

    static void virtual3() {
        for (int i = 0; i < 15_000; i++, Thread.yield()) spin();
    }

    static void virtual() throws Exception {
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++)
            threads[i] = (Thread) start.invoke(null, i % 2 == 0 ? (Runnable) Stacks::virtual1 : (Runnable) Stacks::virtual3);
        for (Thread thread : threads) thread.join();
    }

    static void sleeps(CountDownLatch done) {
        try {
            done.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Thread sleeper = new Thread(() -> sleeps(done), "sleeper");
        sleeper.start();
        long start = System.nanoTime();
        for (String part : args) {
            switch (part) {
                case "both" -> both();
                case "words" -> words();
                case "naps" -> naps();
                case "recursion" -> recursion(300);
                case "deep" -> recursion(2_000);
                case "steps" -> steps();
                case "busy" -> busy();
                case "unloading" -> unloading();
                case "churn" -> churn();
                case "virtual" -> virtual();
                default -> throw new IllegalArgumentException(part);
            }
        }
        System.out.println("slept " + (System.nanoTime() - start));
        done.countDown();
        sleeper.join();
    }
}
