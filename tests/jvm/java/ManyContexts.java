import java.util.ArrayList;
import java.util.List;

/** Threads that run jobs, each job in a context of its own by number: `job n` calls `leaf` n % 5 + 1 times, and `rare` if n % 3 is 0. */
public class ManyContexts {
    static volatile long sink;

    static void leaf(int n) {
        sink = n;
    }

    static int[] rare(int n) {
        leaf(n);
        return new int[n % 10];
    }

    static void job(int n) {
        for (int i = 0; i <= n % 5; i++) leaf(n);
        if (n % 3 == 0) sink = rare(n).length;
    }

    static synchronized void next(int n) {
        sink = n;
    }

    /** All jobs, in an order of the thread's own. */
    static void round(int jobs, int first, int step) {
        for (int i = 0, at = first; i < jobs; i++, at = (at + step) % jobs) {
            leaf(at);
            job(at);
            if (i % 1000 == 999) next(i);
        }
    }

    static Thread started(Runnable task, boolean virtual) throws Exception {
        if (virtual) return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    /** Kind of threads, their number, the number of jobs, rounds (0: without end); jobs must not be a multiple of 7. */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[1]), jobs = Integer.parseInt(args[2]), rounds = Integer.parseInt(args[3]);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t * jobs / threads;
            all.add(started(() -> {
                for (int i = 0; i < rounds || rounds == 0; i++) {
                    round(jobs, first, 7);
                    if (args[0].equals("virtual")) Thread.yield();
                }
            }, args[0].equals("virtual")));
        }
        System.out.println("started");
        for (Thread thread : all) thread.join();
        System.out.println("ended");
    }
}
