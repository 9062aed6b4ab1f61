/** A method of a few instructions that takes most of the time. */
public class Divisions {
    static int kept;

    static int quotient(int n) {
        return 1_000_000_007 / (1_000_000_009 / (1_000_000_021 / (n | 1) | 1) | 1);
    }

    static void all(int n) {
        for (int i = 0; i < n; i++) kept += quotient(i);
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 100; i++) all(1_000_000);
        System.out.println(kept);
    }
}
