import java.lang.management.ManagementFactory;

/** A tiny method, called very often by one that does as much itself, and by another one; prints the CPU time that the thread used. */
public class Sums {
    static volatile double sink;

    static double tiny(double x) { return Math.abs(x) * 0.999 + 1; }

    static double half(int n) {
        double x = sink;
        for (int i = 0; i < n; i++) {
            x = tiny(x);
            for (int k = 0; k < 4; k++) x = x * 0.999 + 1;
        }
        return x;
    }

    static double mostly(int n) {
        double x = sink;
        for (int i = 0; i < n; i++) x = tiny(tiny(x));
        return x;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 300; i++) sink = half(100_000) + mostly(50_000);
        System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
    }
}
