/** Methods whose calls take some hundred ns, some us and some hundred us: each takes a third of the time, in loops of the same length in all. */
public class Parts {
    static final int STEPS = 300_000;
    static volatile double sink;

    static double small(double x, int n) {
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return Math.abs(x);
    }

    static double middle(double x, int n) {
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return Math.abs(x);
    }

    static double large(double x, int n) {
        for (int i = 0; i < n; i++) x = x * 0.999 + 1;
        return Math.abs(x);
    }

    static void round() {
        double sum = large(sink, STEPS); // each loop begins with what the one before found, so that no two run at once
        for (int i = 0; i < STEPS; i += 1500) sum = middle(sum, 1500);
        for (int i = 0; i < STEPS; i += 100) sum = small(sum, 100);
        sink = sum;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 600; i++) round();
    }
}
