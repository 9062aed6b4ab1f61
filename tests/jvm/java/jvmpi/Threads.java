import java.util.concurrent.locks.LockSupport;

/** Threads in all states; standard input says when to go on. */
public class Threads {
    static final Object LOCK = new Object(), BELL = new Object();
    static volatile long turns;
    static volatile boolean ends;

    static void spin() {
        while (!ends) turns++;
    }

    static void sleepy() throws InterruptedException {
        synchronized (BELL) {
            BELL.wait();
        }
    }

    static void blocked() {
        synchronized (LOCK) {
            turns++;
        }
    }

    static Thread start(String name, Runnable run) {
        Thread t = new Thread(new ThreadGroup("workers"), run, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        synchronized (LOCK) {
            start("spinning", Threads::spin);
            Thread waits = start("waiting", () -> {
                try {
                    sleepy();
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            });
            Thread parks = start("parked", LockSupport::park);
            Thread blocks = start("blocked", Threads::blocked);
            while (waits.getState() != Thread.State.WAITING || parks.getState() != Thread.State.WAITING || blocks.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            ready();
            for (Thread t : Thread.getAllStackTraces().keySet()) {
                StackTraceElement[] frames = t.getStackTrace();
                StringBuilder all = new StringBuilder();
                for (StackTraceElement f : frames) all.append(' ').append(f.getMethodName()).append(':').append(f.getLineNumber() == -2 ? -3 : f.getLineNumber());
                if (t != Thread.currentThread() && !t.getName().equals("spinning")) System.out.println("java " + t.getName() + " " + t.getState() + all);
            }
        }
        ends = true;
    }

    static void ready() {}
}
