/** Callers that do next to nothing but call, of methods that take some 10 ns to some us. */
public class Brief {
    static int work(int x, int n) {
        int s = x;
        for (int i = 0; i < n; i++) s = s * 17 + (s >>> 3);
        return s;
    }

    // n is no constant, so that the loop in work stays one: straight arithmetic would be moved across the probes.
    static int waits(int calls, int n) { // for each call's result
        int s = 0;
        for (int k = 0; k < calls; k++) s = work(s, n);
        return s;
    }

    static int goesOn(int calls, int n) {
        int s = 0;
        for (int k = 0; k < calls; k++) s += work(k, n);
        return s;
    }

    static int longer(int calls, int n) {
        int s = 0;
        for (int k = 0; k < calls; k++) s += work(k, n);
        return s;
    }

    public static void main(String[] words) {
        int s = 0, n = 20 + words.length;
        for (int round = 0; round < 4; round++) s += waits(10_000_000, n) + goesOn(10_000_000, n) + longer(1_000_000, 10 * n);
        if (s == 5) System.out.println(s);
    }
}
