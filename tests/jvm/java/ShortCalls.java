/** Short calls, whose probes take a good part of the time. */
public class ShortCalls {
    static int kept;

    static int add(int n) {
        return twice(n) + 1;
    }

    static int twice(int n) {
        return 1_000_000_007 / (n | 1);
    }

    static void all(int n) {
        for (int i = 0; i < n; i++) kept += add(i);
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 600; i++) all(1_000_000);
        System.out.println(kept);
    }
}
