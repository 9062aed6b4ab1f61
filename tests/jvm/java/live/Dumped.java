import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two threads that allocate and lock, while a third one dumps the stacks of all threads each millisecond: there is a safepoint at any moment.
 * Ends with its input, or after so many milliseconds.
 */
public class Dumped {
    static volatile long steps;
    static final Object LOCK = new Object();

    static class Item {
        final byte[] content;

        Item(int n) {
            content = new byte[n];
        }
    }

    static int work(int n) {
        return n + 1;
    }

    static Item made(int n) {
        return new Item(work(n));
    }

    static void allocate() {
        ArrayDeque<Item> kept = new ArrayDeque<>();
        while (true) {
            kept.add(made(ThreadLocalRandom.current().nextInt(500)));
            if (kept.size() > 2000) kept.clear();
            synchronized (LOCK) {
                steps++;
            }
        }
    }

    static class Loaded {}

    /** Loads classes that can be unloaded. */
    static void load() throws Exception {
        byte[] bytes;
        try (java.io.InputStream in = Dumped.class.getResourceAsStream("Dumped$Loaded.class")) {
            bytes = in.readAllBytes();
        }
        new ClassLoader(null) {
            Class<?> define() {
                Class<?> c = defineClass("Dumped$Loaded", bytes, 0, bytes.length);
                resolveClass(c);
                return c;
            }
        }.define();
    }

    static int dump() {
        Map<Thread, StackTraceElement[]> all = new HashMap<>(Thread.getAllStackTraces());
        return all.size();
    }

    interface Step {
        void take() throws Exception;
    }

    static void forever(String name, Step step) {
        Thread thread = new Thread(() -> {
            try {
                while (true) step.take();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 2; i++) forever("allocates", Dumped::allocate);
        forever("dumps", () -> {
            dump();
            Thread.sleep(1);
        });
        forever("loads", () -> {
            load();
            Thread.sleep(5);
        });
        System.out.println("ready");
        if (arguments.length > 0) {
            Thread.sleep(Integer.parseInt(arguments[0]));
        } else {
            System.in.read();
            long before = steps;
            while (steps == before) Thread.sleep(1);
        }
        System.out.println("still working");
        System.exit(0);
    }
}
