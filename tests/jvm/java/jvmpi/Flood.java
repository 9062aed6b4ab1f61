import java.net.URL;
import java.net.URLClassLoader;

/** More events of a kind, at once, than a queue of some thousand has room for; by the words. */
public class Flood {
    static class Drop {
        long a, b;
    }

    static Object last;
    static final Object LOCK = new Object();

    static void drip() {
        last = new Drop();
    }

    static void pour() {
        last = new Drop();
    }

    static void call(int n) {}

    static void half() {}

    static void calls() {
        for (int i = 0; i < 100; i++) call(i);
    }

    static void allocate(int n) throws Exception {
        Runnable half = () -> {
            for (int i = 0; i < n; i++) {
                drip();
                if (i % 3 == 0) pour();
            }
        };
        Thread other = new Thread(half, "other");
        other.start();
        half.run();
        other.join();
        last = null;
        System.gc();
    }

    /** While this holds a lock that a handler wants. */
    static void locked(int n) {
        synchronized (LOCK) {
            for (int i = 0; i < n; i++) call(i);
        }
    }

    public String toString() {
        synchronized (LOCK) {
            return "flood";
        }
    }

    static void touch(Object o) {}

    static void unload(int n) throws Exception {
        URL here = Flood.class.getProtectionDomain().getCodeSource().getLocation();
        for (int i = 0; i < n; i++) {
            URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
            Class.forName("Members", true, loader);
            loader.close();
        }
        System.gc();
        Thread.sleep(100);
        System.gc();
    }

    public static void main(String[] words) throws Exception {
        int n = Integer.parseInt(words[1]);
        switch (words[0]) {
            case "alloc" -> allocate(n);
            case "unload" -> unload(n);
            case "call" -> {
                for (int i = 0; i < n / 100; i++) {
                    if (i == n / 200) half();
                    calls();
                }
            }
            case "locked" -> {
                touch(new Flood());
                locked(n);
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
        System.out.println("java done");
    }
}
