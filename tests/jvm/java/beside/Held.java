import java.lang.reflect.Constructor;

/**
 * A thread holds the monitor of a loader that is not parallel capable and waits for another, which calls a class of that loader for the first
 * time. Prints whether the other one was done, and ends with 3 where it was not.
 */
final class Held {
    static final int PATIENCE = 10_000;

    /** Not registered, so each loadClass takes its monitor. */
    static final class Plain extends Own {
        Plain() {
            super(Held.class.getClassLoader(), "Guest");
        }
    }

    public static void main(String[] args) throws Exception {
        Plain loader = new Plain();
        if (loader.isRegisteredAsParallelCapable()) throw new AssertionError();
        Constructor<?> constructor = loader.loadClass("Guest").getConstructor();
        Thread second = new Thread(() -> {
            try {
                ((Runnable) constructor.newInstance()).run();
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        });
        second.setDaemon(true);
        boolean done;
        synchronized (loader) {
            second.start();
            second.join(PATIENCE);
            done = !second.isAlive();
        }
        System.out.println(done ? "done" : "deadlock: the other thread waits for the loader's monitor");
        if (!done) System.exit(3);
    }
}
