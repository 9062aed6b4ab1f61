import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Takes 20 ms of CPU time. */
public class Dropped implements Runnable {
    static volatile long sink;

    @Override
    public void run() {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (long end = clock.getCurrentThreadCpuTime() + 20_000_000; clock.getCurrentThreadCpuTime() < end;)
            for (int i = 0; i < 20_000; i++) sink += i;
    }
}
