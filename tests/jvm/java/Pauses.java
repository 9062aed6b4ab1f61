/** Garbage, and collections that are asked for. */
public class Pauses {
    static final byte[][] kept = new byte[64][];

    static void allocate(int n) {
        for (int i = 0; i < n; i++) kept[i % kept.length] = new byte[1 << 16];
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            allocate(1000);
            System.gc();
        }
    }
}
