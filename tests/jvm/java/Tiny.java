/** A method that does nearly all the work, and calls two that hardly take anything, many times. */
public class Tiny {
    static volatile double sink;
    static int keys = 3;

    static int size() { return Math.abs(keys); }

    static boolean isKey(int i) { return Math.min(i, size()) > 0; }

    static double heavy(int n) {
        double x = 1;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 30; k++) x = x * 0.999 + 1;
            if (isKey(i)) x++;
        }
        return x;
    }

    public static void main(String[] args) {
        for (int i = 0; i < 1000; i++) sink = heavy(2000);
    }
}
