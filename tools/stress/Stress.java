import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Does what the events are about, and says how often: `truth NAME VALUE`, at the end.
 *
 * <p>Arguments: seconds, how it ends (return, exit, or wait for a signal), files that must be there before the counts are compared with the MXBeans'.
 */
public class Stress {
    static volatile boolean stop;
    static volatile Object sink;
    static final AtomicLong calls = new AtomicLong(), thrown = new AtomicLong(), drops = new AtomicLong(), generated = new AtomicLong();
    static final AtomicLong started = new AtomicLong(), virtuals = new AtomicLong(), waits = new AtomicLong(), blocked = new AtomicLong();
    static final List<WeakReference<Class<?>>> classes = new ArrayList<>();
    static final List<Thread> workers = new ArrayList<>();
    static final Object[] locks = {new Object(), new Object()};
    static final boolean OVERFLOWS = Boolean.getBoolean("overflows");
    static java.lang.reflect.Method startVirtual;
    static byte[] template;

    static class Drop {
        long a;
    }

    static class Missed extends RuntimeException {
        Missed() {
            super("missed", null, false, false);
        }
    }

    /** Has a copy of Gen of its own. */
    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> define() {
            return defineClass("StressGen", template, 0, template.length);
        }
    }

    static long work(long n) {
        if (n % 7 == 0) throw new Missed();
        return n * 31;
    }

    static void loop(int id) throws Exception {
        for (long n = 1; !stop; n++) {
            for (int i = 0; i < 20; i++) {
                calls.incrementAndGet();
                try {
                    sink = work(n + i);
                } catch (Missed e) {
                    thrown.incrementAndGet();
                }
            }
            for (int i = 0; i < 10; i++) sink = new Drop();
            drops.addAndGet(10);
            synchronized (locks[(int) (n % 2)]) {
                long until = System.nanoTime() + 20_000;
                while (System.nanoTime() < until) Thread.onSpinWait();
            }
            if (n % 64 == id) generate();
            if (n % 32 == id) start(id);
            if (OVERFLOWS && n % 128 == id) overflow();
            if (n % 4 == 0) pause();
        }
    }

    static int down(int n) {
        return down(n + 1) + 1;
    }

    static void overflow() {
        try {
            sink = down(0);
        } catch (StackOverflowError e) {
            sink = e;
        }
    }

    static void pause() throws InterruptedException {
        Object own = new Object();
        synchronized (own) {
            waits.incrementAndGet();
            own.wait(1);
        }
    }

    static void generate() throws Exception {
        Class<?> c = new Loader().define();
        var constructor = c.getDeclaredConstructor();
        constructor.setAccessible(true);
        sink = constructor.newInstance();
        generated.incrementAndGet();
        synchronized (classes) {
            classes.add(new WeakReference<>(c));
        }
    }

    static void start(int id) throws Exception {
        Thread thread = new Thread(() -> sink = new byte[100], "short-" + id);
        started.incrementAndGet();
        thread.start();
        thread.join();
        if (startVirtual == null) return;
        virtuals.incrementAndGet();
        ((Thread) startVirtual.invoke(null, (Runnable) () -> {
            for (int i = 0; i < 3; i++) Thread.yield();
        })).join();
    }

    /** Until the JVM is gone: shutdown has to stop it. It makes garbage as long as figures are not compared. */
    static void noise() {
        for (long n = 0;; n++) {
            if (!stop) sink = new byte[64 << 10];
            try {
                if (n % 3 == 0) sink = work0(n);
                Thread.sleep(0, 200_000);
            } catch (Missed | InterruptedException e) {
                sink = e;
            }
        }
    }

    static long work0(long n) {
        if (n % 2 == 0) throw new Missed();
        return n;
    }

    static void end(String[] files) {
        try {
            stop = true;
            for (Thread worker : workers) worker.join();
            System.out.println("stopping");
            System.out.flush();
            for (int i = 2; i < files.length; i++)
                for (int n = 0; !Files.exists(Path.of(files[i])) && n < 1200; n++) Thread.sleep(50);
            sink = null;
            System.gc();
            System.gc();
            long collections = 0, gone = 0;
            for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) collections += bean.getCollectionCount();
            for (WeakReference<Class<?>> c : classes) if (c.get() == null) gone++;
            Object[] all = {"calls", calls, "thrown", thrown, "drops", drops, "generated", generated, "gone", gone, "started", started, "virtuals", virtuals,
                "waits", waits, "blocked", blocked, "collections", collections, "unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount(),
                "loaded", ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount()};
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < all.length; i += 2) text.append("truth ").append(all[i]).append(' ').append(all[i + 1]).append('\n');
            System.out.print(text.append("truth end 0\n"));
            System.out.flush();
        } catch (Throwable t) {
            t.printStackTrace();
        }
    }

    public static void main(String[] args) throws Exception {
        try (InputStream in = Stress.class.getResourceAsStream("StressGen.class")) {
            template = in.readAllBytes();
        }
        try {
            startVirtual = Runtime.version().feature() >= 21 ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        } catch (NoSuchMethodException e) {
            startVirtual = null;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(args), "hook"));
        for (int i = 0; i < 2; i++) {
            Thread noise = new Thread(Stress::noise, "noise-" + i);
            noise.setDaemon(true);
            noise.start();
        }
        for (int i = 0; i < 4; i++) {
            int id = i;
            workers.add(new Thread(() -> {
                try {
                    loop(id);
                } catch (Throwable t) {
                    t.printStackTrace();
                }
                blocked.addAndGet(ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().getId()).getBlockedCount());
            }, "worker-" + i));
        }
        for (Thread worker : workers) worker.start();
        System.out.println("ready");
        System.out.flush();
        if (args[1].equals("signal")) Thread.sleep(Long.MAX_VALUE);
        Thread.sleep((long) (Double.parseDouble(args[0]) * 1000));
        if (args[1].equals("exit")) System.exit(3);
        stop = true;
        for (Thread worker : workers) worker.join();
    }
}

class StressGen {
    public Object value = new Object();

    public StressGen() {}
}
