import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** What happens in a JVM, by the words: each prints what Java itself says of it. */
public class Work {
    static class Thing {
        int number = 42;
        long wide = 1L << 40;
        double real = 0.5;
        boolean yes = true;
        char letter = 'x';
        Thing next;
        int[] numbers = {1, -2, 3};
        String[] words = {"a", null};
        static Thing last;
        static int made = 7;

        Thing same(Thing other) {
            if (other == null) throw new IllegalArgumentException("none");
            return other;
        }
    }

    static List<Object> kept = new ArrayList<>();

    static void mark(Object o) {}

    static int hot(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += i * 31;
        return sum;
    }

    static void calls() {
        Thing t = new Thing();
        for (int i = 0; i < 3; i++) t.same(t);
        try {
            t.same(null);
        } catch (IllegalArgumentException e) {
            System.out.println("java caught");
        }
        mark(t);
    }

    static void unload() throws Exception {
        URL here = Work.class.getProtectionDomain().getCodeSource().getLocation();
        for (int i = 0; i < 20; i++) {
            URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
            Class.forName("Members", true, loader);
            loader.close();
        }
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println("java unloaded " + ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
    }

    static void compile() throws Exception {
        long sum = 0;
        for (int i = 0; i < 20000; i++) sum += hot(100);
        Thread.sleep(300);
        mark(sum);
    }

    static void alloc() throws Exception {
        mark(null);
        Thread.sleep(300);
        for (int i = 0; i < 100; i++) {
            Thing t = new Thing();
            if (i % 10 == 0) kept.add(t);
        }
        mark(null);
        kept.clear();
        System.gc();
        Thread.sleep(100);
        System.gc();
    }

    static void collect() throws Exception {
        long before = ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(b -> b.getCollectionCount()).sum();
        for (int i = 0; i < 3; i++) System.gc();
        System.out.println("java " + (ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(b -> b.getCollectionCount()).sum() - before));
        Thread.sleep(100);
    }

    static void wait(Object lock) throws Exception {
        synchronized (lock) {
            lock.wait(20);
        }
        Thread t = new Thread(() -> {
            synchronized (lock) {
                lock.notifyAll();
            }
        }, "ringing");
        synchronized (lock) {
            t.start();
            lock.wait();
        }
        t.join();
    }

    static void contend(Object lock) throws Exception {
        Thread t = new Thread(() -> {
            synchronized (lock) {
                mark(lock);
            }
        }, "contending");
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            Thread.sleep(20);
        }
        t.join();
        System.out.println("java blocked " + Thread.currentThread().getName());
    }

    public static void main(String[] words) throws Exception {
        for (String word : words) {
            switch (word) {
                case "calls" -> calls();
                case "unload" -> unload();
                case "compile" -> compile();
                case "alloc" -> alloc();
                case "gc" -> collect();
                case "wait" -> wait(new Thing());
                case "contend" -> contend(new Thing());
                case "forever" -> {
                    System.out.println("ready");
                    System.in.read();
                }
                case "nap" -> {
                    Thread.sleep(30);
                    Thread.currentThread().interrupt();
                    try {
                        Thread.sleep(1000);
                    } catch (InterruptedException e) {
                        System.out.println("java interrupted " + Thread.currentThread().isInterrupted());
                    }
                }
                case "processors" -> {
                    for (int i = 0; i < 1000; i++) Runtime.getRuntime().availableProcessors();
                }
                case "naps" -> {
                    Thread t = new Thread(() -> {
                        try {
                            for (int i = 0; ; i++) Thread.sleep(3);
                        } catch (InterruptedException e) {
                            System.out.println("java interrupted");
                        }
                    }, "napping");
                    t.start();
                    System.out.println("ready");
                    System.in.read();
                    t.interrupt();
                    t.join();
                }
                case "sleep" -> Thread.sleep(1_000_000);
                case "mark" -> {
                    Thing t = new Thing();
                    t.next = Thing.last = new Thing();
                    kept.add(t);
                    mark(t);
                }
                case "thread" -> {
                    Thread t = new Thread(new ThreadGroup("group"), () -> mark(null), "made");
                    t.start();
                    t.join();
                }
                default -> throw new IllegalArgumentException(word);
            }
        }
    }
}
