import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Many loaders have classes of the same names; in every second one their superclass is not Wanted but Ignore. Threads also race to define them. */
public class Families {
    static final int LOADERS = 32, RACERS = 3, CALLS = 100;

    public static class Middle extends Wanted {
        @Override public void run() {}
    }

    public static class Low extends Middle {
        static int begun = begin();

        static int begin() { return 1; }

        @Override public void run() { super.run(); }
    }

    interface Task extends Wish {
        void run();
    }

    interface Wish {}

    static class Loader extends ClassLoader {
        static { registerAsParallelCapable(); }

        final boolean ignoring;

        Loader(boolean ignoring) {
            super(Families.class.getClassLoader());
            this.ignoring = ignoring;
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("Families$")) return super.loadClass(name, resolve);
            Class<?> known = findLoadedClass(name);
            if (known != null) return known;
            byte[] bytes = bytesOf(name);
            if (ignoring) bytes = replaced(bytes);
            try {
                return defineClass(name, bytes, 0, bytes.length);
            } catch (LinkageError e) { // another thread was faster
                return findLoadedClass(name);
            }
        }
    }

    static byte[] bytesOf(String name) {
        try (InputStream in = Families.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    static byte[] replaced(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1).replace("Wanted", "Ignore").getBytes(StandardCharsets.ISO_8859_1);
    }

    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < LOADERS; i++) {
            Loader loader = new Loader(i % 2 == 1);
            for (int r = 0; r < RACERS; r++) {
                Thread t = new Thread(() -> {
                    try {
                        start.await();
                        Runnable low = (Runnable) Class.forName("Families$Low", true, loader).getDeclaredConstructor().newInstance();
                        for (int n = 0; n < CALLS; n++) low.run();
                    } catch (Throwable e) {
                        e.printStackTrace();
                    }
                });
                threads.add(t);
                t.start();
            }
        }
        start.countDown();
        for (Thread t : threads) t.join();
        Task task = (Task) Proxy.newProxyInstance(Families.class.getClassLoader(), new Class<?>[] {Task.class}, (proxy, method, values) -> null);
        for (int n = 0; n < CALLS; n++) task.run();
        System.out.println("done");
    }
}
