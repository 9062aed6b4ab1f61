import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;

/**
 * For each line that it reads: does what the line says, calls all that are loaded, and answers. A name: that class is loaded in a loader of its own. `own NAME`:
 * by this one's loader; `unlinked NAME`: without being linked. `apart NAME`: so, by a loader of its own; `use` makes one. `late`: allocates one. `virtually`: in a virtual thread. `waiter`: one that
 * waits, again and again, for `wake`. `slowly`: a thread loads a class with a loader that waits
 * for `go on` before it answers the agent. `stuck NAME`: by such a loader, which loads classes in parallel.
 */
public class Shapes {
    public interface Shape { int sides(); }
    public interface Round extends Shape { default int sides() { return 0; } }
    public static class Polygon implements Shape { public int sides() { return 3; } }
    public static class Square extends Polygon { public int sides() { return 4; } }
    public static class Circle implements Round { public int sides() { return 1; } }
    public static class Other { public int sides() { return 9; } }
    public static class LateSquare extends Polygon { public int sides() { return 4; } }
    public static class LateCircle implements Round { public int sides() { return 1; } }

    static final List<Object> made = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        made.addAll(List.of(new Polygon(), new Square(), new Circle(), new Other()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        URL place = Shapes.class.getProtectionDomain().getCodeSource().getLocation();
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "" -> { }
                case "late" -> late();
                case "own" -> made.add(Class.forName(words[1]).getConstructor().newInstance());
                case "unlinked" -> Class.forName(words[1], false, Shapes.class.getClassLoader());
                case "apart" -> apart = Class.forName(words[1], false, new URLClassLoader(new URL[] {place}, null));
                case "use" -> made.add(apart.getConstructor().newInstance());
                case "virtually" -> startVirtually(Shapes::two).join();
                case "waiter" -> startVirtually(Shapes::waitAgainAndAgain);
                case "wake" -> woken.put(line);
                case "slowly" -> loadSlowly(place);
                case "stuck" -> made.add(new Stuck(place).loadClass(words[1]).getConstructor().newInstance());
                case "go" -> goOn.countDown();
                default -> made.add(new URLClassLoader(new URL[] {place}, null).loadClass(line).getConstructor().newInstance());
            }
            int sum = 0;
            for (Object one : made) sum += (int) one.getClass().getMethod("sides").invoke(one);
            System.out.println(sum + two().length);
        }
    }

    static Thread startVirtually(Runnable what) throws ReflectiveOperationException {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, what);
    }

    static final SynchronousQueue<String> woken = new SynchronousQueue<>();

    static void waitAgainAndAgain() {
        while (true) waitOnce();
    }

    static void waitOnce() {
        try {
            woken.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static Class<?> apart;
    static final CountDownLatch asked = new CountDownLatch(1), goOn = new CountDownLatch(1);

    static class Stuck extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        Stuck(URL place) {
            super(new URL[] {place}, null);
        }

        @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            try {
                if (name.endsWith("ClasshookTracker")) goOn.await();
            } catch (InterruptedException e) {
                throw new ClassNotFoundException(name, e);
            }
            return super.loadClass(name, resolve);
        }
    }

    static void loadSlowly(URL place) throws Exception {
        ClassLoader loader = new URLClassLoader(new URL[] {place}, null) {
            @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.endsWith("ClasshookTracker")) {
                    asked.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new ClassNotFoundException(name, e);
                    }
                }
                return super.loadClass(name, resolve);
            }
        };
        Thread thread = new Thread(() -> {
            try {
                loader.loadClass("Shapes$Other");
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        asked.await();
    }

    static void late() { made.add(new LateSquare()); }

    static Object[] two() { return new Object[] {new Polygon(), new Square()}; }
}
