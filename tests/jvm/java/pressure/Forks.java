import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** 4 threads start N children each, while 2 others count. */
final class Forks {
    static final AtomicInteger LEAKED = new AtomicInteger();
    static volatile boolean stop;

    static void call() {
    }

    /** The child lists its open files, none of which is the agent's. */
    static String child(int i) throws Exception {
        String script = "ls -l /proc/self/fd | grep -c classhook; echo child " + i + "; exit " + i % 100;
        Process p = i % 2 == 0 ? new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start()
            : Runtime.getRuntime().exec(new String[] {"sh", "-c", script});
        String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (p.waitFor() != i % 100) throw new AssertionError(p.exitValue());
        if (!out.equals("0\nchild " + i + "\n")) LEAKED.incrementAndGet();
        return out;
    }

    static void parent(int n) {
        try {
            for (int i = 0; i < n; i++) child(i);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static void count() {
        for (int i = 0; i < 100_000; i++) call();
        while (!stop) Thread.onSpinWait();
        for (int i = 0; i < 100_000; i++) call();
    }

    public static void main(String[] args) throws Exception {
        Thread[] counting = {new Thread(Forks::count), new Thread(Forks::count)};
        for (Thread t : counting) t.start();
        Thread[] parents = new Thread[4];
        for (int i = 0; i < parents.length; i++) (parents[i] = new Thread(() -> parent(Integer.parseInt(args[0])))).start();
        for (Thread t : parents) t.join();
        stop = true;
        for (Thread t : counting) t.join();
        System.out.println("leaked " + LEAKED);
    }
}
