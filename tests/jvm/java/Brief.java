/** Callers that do next to nothing but call, of methods that take some 10 ns to some us. */
public class Brief {
    static int work(int x, int n) {
        int s = x;
        for (int i = 0; i < n; i++) s = s * 17 + (s >>> 3);
        return s;
    }

    static int waits(int calls) { // for each call's result
        int s = 0;
        for (int k = 0; k < calls; k++) s = work(s, 20);
        return s;
    }

    static int goesOn(int calls) {
        int s = 0;
        for (int k = 0; k < calls; k++) s += work(k, 20);
        return s;
    }

    static int longer(int calls) {
        int s = 0;
        for (int k = 0; k < calls; k++) s += work(k, 200);
        return s;
    }

    public static void main(String[] words) {
        int s = 0;
        for (int round = 0; round < 4; round++) s += waits(10_000_000) + goesOn(10_000_000) + longer(1_000_000);
        if (s == 5) System.out.println(s);
    }
}
