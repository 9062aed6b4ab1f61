import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What each measure sees, in a context of its own and outside of all. */
public class Everything {
    static final Object lock = new Object();
    static volatile double sum;
    static volatile boolean held;
    static Object kept;

    static void burn(int ms) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long end = clock.getCurrentThreadCpuTime() + ms * 1_000_000L;
        while (clock.getCurrentThreadCpuTime() < end) work();
    }

    static void work() {
        for (int i = 0; i < 100_000; i++) sum = sum * 0.5 + i;
    }

    static void cpu() {
        burn(200);
    }

    static void locks() throws Exception {
        Thread thread = new Thread(() -> {
            synchronized (lock) {
                hold();
            }
        });
        thread.start();
        while (!held) Thread.sleep(1);
        synchronized (lock) {
            sum++;
        }
        thread.join();
    }

    static void hold() {
        held = true;
        burn(80);
    }

    static void objects(int n) {
        for (int i = 0; i < n; i++) kept = new byte[1000];
    }

    static void allocates() {
        objects(2000);
    }

    static int watched(int n) {
        return n + 1;
    }

    static void calls() {
        for (int i = 0; i < 3; i++) watched(i);
    }

    public static void main(String[] args) throws Exception {
        cpu();
        locks();
        allocates();
        calls();
        burn(100);
        watched(9);
        objects(1000);
    }
}
