import java.util.List;

/** Each comment says what a report says of its line, where something was missed. */
class Why { // Why() was never called, or threw at once
    static int n;

    static void step() {
        n++;
    }

    static void fail() {
        throw new IllegalStateException();
    }

    static void joins(int x) {
        if (x > 0) // if (x > 0): never true
            step(); // not reached; line 16: if (x > 0): never true
        step();
        fail(); // not reached; an exception may have left line 18
        step();
    }

    static void joinsAtOnce(int x) {
        if (x > 0) // if (x > 0): never true
            step(); // not reached; line 24: if (x > 0): never true
        fail();
        step();
    }

    static void nested(int x) {
        if (x > 1) { // if (x > 1): never true
            n++; // not reached; line 31: if (x > 1): never true
            if (x > 2)
                n++;
        } else if (x > 0) // if (x > 0): never false
            n--;
        else
            n += 2; // not reached; line 35: if (x > 0): never false
    }

    static void lambdas(List<Integer> list) {
        while (n < 5 + list.stream().filter(i -> i > 3).count()) n++; // if (intValue() > 3): never false
    }

    static int one(int x) { if (x > 1) return 2; return 3; } static int other(int x) { return x > 4 ? 5 : 6; } // if (x > 4): never true

    static void run(Runnable what) { try { what.run(); } catch (IllegalStateException expected) { n--; } }

    public static void main(String[] args) {
        run(new Runnable() { public void run() { joins(0); } });
        run(new Runnable() { public void run() { joinsAtOnce(0); } });
        nested(1);
        n = 0;
        lambdas(List.of(7, 8));
        one(1);
        one(2);
        other(1);
    }
}
