/** A loop that touches no memory, between calls of a method without loops. */
public class Loops {
    static int state = 1;

    static int next() {
        return state = state * 31 + 7;
    }

    static int first(int x) {
        return next() + x;
    }

    static int heavy(int n) {
        int s = first(n);
        for (int i = 0; i < n; i++) s = s * 17 + (s >>> 3);
        return s + first(s);
    }

    static int rotated(int n) { // ecj's form of a loop begins with a jump to its condition
        int s = first(n), i = 0;
        if (n > 0) do s = s * 17 + (s >>> 3); while (++i < n);
        return s + first(s);
    }

    public static void main(String[] words) {
        int s = 0, n = 200 + words.length;
        for (int i = 0; i < 8_000_000; i++) s += heavy(n);
        for (int i = 0; i < 8_000_000; i++) s += rotated(n);
        if (s == 5) System.out.println(s);
    }
}
