import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import sun.misc.Signal;

/** Takes the signal of the ticks of CPU time for itself, and then works. Prints the CPU time of `first`, `second` and
 * `sleeps` in ns. */
public class TakesSignal {
    static int kept;

    static void first(long ms) {
        work(ms);
    }

    static void second(long ms) {
        work(ms);
    }

    static void work(long ms) {
        for (long end = System.nanoTime() + ms * 1_000_000; System.nanoTime() < end; )
            for (int i = 1; i < 10_000; i++) kept += 1_000_003 / i;
    }

    static void sleeps() throws Exception {
        for (int i = 0; i < 200; i++) {
            work(1);
            Thread.sleep(4);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Signal.handle(new Signal("STKFLT"), signal -> {});
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        first(200);
        long middle = threads.getCurrentThreadCpuTime();
        second(600);
        long end = threads.getCurrentThreadCpuTime();
        sleeps();
        System.out.println((middle - begin) + " " + (end - middle) + " " + (threads.getCurrentThreadCpuTime() - end));
    }
}
