import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** Threads that take different CPU time, and are blocked at a monitor a known number of times; methods that take CPU time, or only wait. */
public final class Apart {
    static final Object till = new Object();
    static volatile double sum;

    static void burn(long ms) {
        var clock = ManagementFactory.getThreadMXBean();
        long end = clock.getCurrentThreadCpuTime() + ms * 1_000_000;
        while (clock.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 100_000; i++) sum = sum * 0.5 + i;
        }
    }

    static void nap(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static int fill() {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < 1_000; i++) map.put("key", "value");
        return map.size();
    }

    static void pay() {
        synchronized (till) {
            sum++;
        }
    }

    static void blocked(String name) throws InterruptedException {
        Thread thread = new Thread(Apart::pay, name);
        synchronized (till) {
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED) Thread.sleep(1);
        }
        thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread heavy = new Thread(() -> burn(600), "heavy"), light = new Thread(() -> burn(200), "light");
        heavy.start();
        light.start();
        heavy.join();
        light.join();
        burn(300);
        nap(600);
        for (int i = 0; i < 5; i++) fill();
        blocked("first");
        blocked("second");
        System.out.println("done");
    }
}
