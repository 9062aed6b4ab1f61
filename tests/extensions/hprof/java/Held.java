import java.util.concurrent.locks.ReentrantLock;

/** Threads that hold, want and wait for locks; it says "ready", and goes on until its input ends. */
public final class Held {
    static final Object till = new Object();
    static final ReentrantLock safe = new ReentrantLock();
    static final StringBuilder bell = new StringBuilder();
    static final int[][] kept = new int[3][];

    static void hold() throws InterruptedException {
        synchronized (till) {
            synchronized (till) {
                safe.lock();
                Thread.sleep(1_000_000);
            }
        }
    }

    static void enter() throws InterruptedException {
        synchronized (till) {
            throw new IllegalStateException();
        }
    }

    static void ring() throws InterruptedException {
        synchronized (bell) {
            bell.wait();
        }
    }

    interface Work {
        void run() throws Exception;
    }

    static void start(String name, Work work, Thread.State state) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != state) Thread.sleep(1);
    }

    public static void main(String[] args) throws Exception {
        Thread gone = new Thread(() -> System.out.println("gone"), "gone \"soon\"");
        gone.start();
        gone.join();
        start("holder", Held::hold, Thread.State.TIMED_WAITING);
        start("enterer", Held::enter, Thread.State.BLOCKED);
        start("ringer", Held::ring, Thread.State.WAITING);
        start("parker", safe::lock, Thread.State.WAITING);
        for (int i = 0; i < kept.length; i++) kept[i] = new int[100];
        System.out.println("ready " + kept.length);
        while (System.in.read() >= 0) {}
        System.out.println("done " + kept.length);
    }
}
