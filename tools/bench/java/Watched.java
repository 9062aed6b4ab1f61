import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Calls a method all the time. For a line of input it prints the CPU time of a call in ns; for `p`, the longest time in ms that a thread stood still. */
public class Watched {
    static volatile long longest;

    static int step(int x) {
        int sum = 0;
        for (int i = 0; i < 50; i++) {
            sum += x * i;
            if (sum > 1000000) sum -= 7;
        }
        return sum;
    }

    static double told() {
        double told = longest / 1e6;
        longest = 0;
        return told;
    }

    static void watch() {
        for (long before = System.nanoTime(), now; ; before = now) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
            now = System.nanoTime();
            longest = Math.max(longest, now - before - 1000000);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread watcher = new Thread(Watched::watch);
        watcher.setDaemon(true);
        watcher.start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (long calls = 0, sum = 0, took = 0; ; ) {
            long began = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < 50000; i++) sum += step(i);
            took += threads.getCurrentThreadCpuTime() - began;
            calls += 50000;
            if (System.in.available() == 0) continue;
            int asked = System.in.read();
            if (asked < 0 || sum == 1) return;
            System.out.println(asked == 'p' ? told() : took / (double) calls);
            if (asked != 'p') calls = took = 0;
        }
    }
}
