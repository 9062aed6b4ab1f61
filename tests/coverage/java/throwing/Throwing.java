/** Calls that throw, and loops. The comments are read by the tests: in lines that `threw`, a call did, so that they ran
 * `partly`; `never` ones did not run. */
public class Throwing {
    static int call(int x) {
        if (x == 0) {
            throw new IllegalStateException();
        }
        return x;
    }

    static void first() {
        int a = 1 + call(0) + call(1); // threw partly
        System.out.println(a); // never
    }

    static void second() {
        int a = call(1);
        int b = a + call(2) + call(0) + call(3); // threw partly
        System.out.println(b); // never
    }

    static void branch(boolean flag) {
        if (flag) {
            call(0); // threw
        } else {
            call(0); // never
        }
        call(1); // never
    }

    static void handler() {
        try {
            call(0); // threw
        } catch (IllegalStateException e) {
            call(0); // threw
        } finally {
            System.out.print("");
        }
        call(1); // never
    }

    static int counted(int n) {
        int sum = 0; // ran 1
        for (int i = 0; i < n; i++) {
            if (i % 2 == 1) { // odd
                sum += i; // ran 5
            }
            sum++; // ran 10
        }
        return sum; // ran 1
    }

    static void never() {
        call(1); // never
    }

    static class Initialised {
        int field = call(1); // initialiser

        Initialised() {
        }

        Initialised(int other) {
        }
    }

    interface Action {
        void run();
    }

    static void caught(Action action) {
        try {
            action.run(); // threw
        } catch (IllegalStateException e) {
            System.out.println("caught");
        }
    }

    public static void main(String[] args) {
        caught(new Action() {
            @Override
            public void run() {
                first();
            }
        });
        caught(() -> second());
        caught(() -> branch(true));
        caught(() -> handler());
        System.out.println(counted(10));
        new Initialised();
        new Initialised(1);
        new Initialised(2);
    }
}
