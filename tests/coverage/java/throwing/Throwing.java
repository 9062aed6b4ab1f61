/** Calls and other instructions that throw, and loops. The comments are read by the tests: lines that `threw` ran only until something in them
 * or behind them threw, `partly` if it was in them; `never` ones did not run. */
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

    static class Node {
        Node next;
        int value;
    }

    static int element(int[] array, int i) {
        int twice = 2 * i; // threw
        int b = array[twice] + twice; // threw partly
        return b; // never
    }

    static int field(Node node) {
        node.value = 1; // threw
        node.value = node.value + node.next.value; // threw partly
        return node.value; // never
    }

    static int again(Node node) {
        int value = node.value; // threw
        node = null; // threw
        return value + node.value; // threw partly
    }

    static String cast(Object o) {
        String s = (String) o; // threw partly
        return s; // never
    }

    static int divided(int n) {
        int zero = n - n; // threw
        return n / zero; // threw partly
    }

    static int sized(int n) {
        int[] array = new int[n]; // threw partly
        return array.length; // never
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
        } catch (RuntimeException e) {
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
        caught(() -> element(new int[2], 1));
        caught(() -> field(new Node()));
        caught(() -> again(new Node()));
        caught(() -> cast(1));
        caught(() -> divided(1));
        caught(() -> sized(-1));
        System.out.println(counted(10));
        new Initialised();
        new Initialised(1);
        new Initialised(2);
    }
}
