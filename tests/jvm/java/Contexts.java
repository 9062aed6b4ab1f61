import java.util.ArrayList;
import java.util.List;

/** Threads that enter contexts within loops: `get` and `post`, which calls `get`; and `again`, which is also active outside of them. */
public class Contexts {
    static final int EACH = 100;
    static long sink;

    static int leaf(int n) {
        sink += n;
        return n;
    }

    static void get() {
        for (int i = 0; i < 3; i++) leaf(i);
    }

    static void post(int n) {
        leaf(n);
        get();
        leaf(n);
        if (n % 2 == 0) throw new IllegalStateException();
    }

    /** Calls itself, by way of a context, n times in all. */
    static void again(int n) {
        leaf(n);
        if (n > 1) within(n - 1);
    }

    static void within(int n) {
        again(n);
    }

    static void loop(int rounds, boolean sleeps) {
        for (int i = 0; i < rounds; i++) {
            leaf(i);
            if (i % EACH == 0) get();
            if (i % EACH == 1) {
                try {
                    post(i / EACH);
                } catch (IllegalStateException e) {
                    sink++;
                }
            }
            if (sleeps && i % 1000 == 0) pause();
        }
        again(5);
    }

    static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A context in which the thread waits. */
    static void waits() {
        leaf(1);
        pause();
        get();
        pause();
        leaf(1);
    }

    static Thread started(Runnable task, boolean virtual) throws Exception {
        if (virtual) return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++)
            all.add(started(() -> {
                loop(rounds, args[0].equals("virtual"));
                waits();
            }, args[0].equals("virtual")));
        for (Thread thread : all) thread.join();
        if (args[0].equals("hangs")) {
            System.out.println("counted");
            waitsForever();
        }
    }

    static void waitsForever() throws Exception {
        leaf(1);
        Thread.sleep(600_000);
    }
}
