/** Calls that are told apart by how they end. */
public class EndKeys {
    enum Kind { LOW, HIGH }
    static final class Box { final String name; final int n; Box(String name, int n) { this.name = name; this.n = n; } }
    static Kind kind(int i) { return i < 3 ? Kind.LOW : Kind.HIGH; }
    static boolean even(int i) { return i % 2 == 0; }
    static char letter(int i) { return (char) ('a' + i % 3); }
    static long big(int i) { return 1L << 40 | i % 2; }
    static double half(int i) { return i % 2 / 2.0; }
    static String text(int i) { return i == 9 ? null : "t" + i % 2; }
    static Box box(int i) { return new Box("b" + i % 2, i % 3); }
    static int risky(int i) { if (i % 4 == 0) throw new IllegalStateException("x" + i); if (i % 5 == 0) throw new ArithmeticException(); return i; }
    static void nothing(int i) { if (i == 1) throw new IllegalStateException(); }
    EndKeys(int i) { if (i == 2) throw new RuntimeException(); }
    public static void main(String[] words) {
        for (int i = 0; i < 10; i++) {
            kind(i); even(i); letter(i); big(i); half(i); text(i); box(i);
            try { risky(i); } catch (RuntimeException e) { }
            try { nothing(i); } catch (RuntimeException e) { }
            try { new EndKeys(i); } catch (RuntimeException e) { }
        }
    }
}
