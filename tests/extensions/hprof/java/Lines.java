import java.lang.management.ManagementFactory;
import java.util.TreeMap;

/** CPU time on known lines: `work` takes three times as much in its first loop as in its second one, and `sorted` takes some in the JDK. */
public final class Lines {
    static volatile double sum;

    static long spent() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static void work(long unit) {
        long end = spent() + 3 * unit;
        while (spent() < end) {
            for (int i = 0; i < 100_000; i++) sum = sum * 0.5 + i; // first
        }
        end = spent() + unit;
        while (spent() < end) {
            for (int i = 0; i < 100_000; i++) sum = sum * 0.5 - i; // second
        }
    }

    static void sorted(long unit) {
        long end = spent() + unit;
        while (spent() < end) {
            TreeMap<Integer, Integer> map = new TreeMap<>();
            for (int i = 0; i < 10_000; i++) map.put(i * 7919 % 10_007, i);
        }
    }

    public static void main(String[] args) {
        work(Long.parseLong(args[0]));
        sorted(Long.parseLong(args[0]));
        System.out.println("done " + sum);
    }
}
