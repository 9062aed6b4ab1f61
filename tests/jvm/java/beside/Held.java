import java.lang.reflect.Constructor;
import java.security.ProtectionDomain;

/**
 * A thread holds the monitor of a loader that is not parallel capable and waits for another thread, which calls two classes of that loader
 * for the first time. Each class has its own protection domain, as in two jars. Prints whether the other thread finished, and exits with 3
 * if it did not.
 */
final class Held {
    static final int PATIENCE = 10_000;

    /** Not registered, so each loadClass takes its monitor. */
    static final class Plain extends Own {
        Plain() {
            super(Held.class.getClassLoader(), "Guest", "Made0000");
        }

        @Override
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length, new ProtectionDomain(null, null));
        }
    }

    private static void call(Constructor<?> constructor) {
        try {
            ((Runnable) constructor.newInstance()).run();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Plain loader = new Plain();
        if (loader.isRegisteredAsParallelCapable()) throw new AssertionError();
        Constructor<?> first = loader.loadClass("Guest").getConstructor(), second = loader.loadClass("Made0000").getConstructor();
        Thread other = new Thread(() -> {
            call(first);
            System.out.println("called one");
            call(second);
            System.out.println("called two");
        });
        other.setDaemon(true);
        boolean done;
        synchronized (loader) {
            other.start();
            other.join(PATIENCE);
            done = !other.isAlive();
        }
        if (done) return;
        System.out.println("deadlock: the other thread waits for the loader's monitor");
        System.exit(3);
    }
}
