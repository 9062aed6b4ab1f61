/** A method that calls itself twice, in trees of calls; each takes a known time by itself. Prints the time of all. */
public class Recursive {
    static volatile long sink;
    static final int DEPTH = 12, TREES = 12;

    static void tree(int depth) {
        long x = depth;
        for (int i = 0; i < 400; i++) x = x * 31 + i;
        sink = x;
        if (depth > 1) { tree(depth - 1); tree(depth - 1); }
    }

    /** The same for each tree, without the recursion. */
    static void trees() { for (int i = 0; i < TREES; i++) tree(DEPTH); }

    public static void main(String[] args) {
        for (int i = 0; i < 20; i++) trees();
    }
}
