/** Loops over methods that rules watch; each is called in a loop of its own. For each it prints the time of a call in ns. */
public class Calls {
    static class Inner {
        String state = "OLD";
        int n = 1;
    }

    String state = "OLD";
    Inner inner = new Inner();
    long sum;

    void bare(int amount, String name) { sum += amount; }
    void number(int amount, String name) { sum += amount; }
    void string(int amount, String name) { sum += amount; }
    void field(int amount, String name) { sum += amount; }
    void further(int amount, String name) { sum += amount; }
    void over(int amount, String name) { sum += amount; }
    void every(int amount, String name) { sum += amount; }
    void first(int amount, String name) { sum += amount; }

    interface Loop { void run(Calls calls, int n, String[] names); }

    public static void main(String[] args) {
        String[] kinds = {"bare", "number", "string", "field", "further", "over", "every", "first"};
        Loop[] loops = {
            (c, n, s) -> { for (int i = 0; i < n; i++) c.bare(i & 127, s[i & 3]); }, (c, n, s) -> { for (int i = 0; i < n; i++) c.number(i & 127, s[i & 3]); },
            (c, n, s) -> { for (int i = 0; i < n; i++) c.string(i & 127, s[i & 3]); }, (c, n, s) -> { for (int i = 0; i < n; i++) c.field(i & 127, s[i & 3]); },
            (c, n, s) -> { for (int i = 0; i < n; i++) c.further(i & 127, s[i & 3]); }, (c, n, s) -> { for (int i = 0; i < n; i++) c.over(i & 127, s[i & 3]); },
            (c, n, s) -> { for (int i = 0; i < n; i++) c.every(i & 127, s[i & 3]); }, (c, n, s) -> { for (int i = 0; i < n; i++) c.first(i & 127, s[i & 3]); },
        };
        String[] names = {"ann", "bob", new String("eve"), null};
        int n = Integer.parseInt(args[0]);
        Calls calls = new Calls();
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < kinds.length; i++) {
                long start = System.nanoTime();
                loops[i].run(calls, n, names);
                if (round == 2) System.out.printf("%s %.3f%n", kinds[i], (double) (System.nanoTime() - start) / n);
            }
    }
}
