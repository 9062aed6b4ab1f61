package known;

/** Methods that call themselves and each other. */
final class Recursion {
    static void run() { // calls 1
        System.out.println("factorial " + factorial(10));
        System.out.println("fib " + fib(20));
        System.out.println("even " + even(1000));
        System.out.println("ackermann " + ackermann(2, 3));
        for (int i = 0; i < 3; i++) {
            try {
                dive(10);
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage() + " " + e.getStackTrace().length);
            }
        }
        System.out.println("bounce " + bounce(9));
        System.out.println("hanoi " + new Recursion().hanoi(10, 'a', 'b', 'c'));
    }

    private Recursion() { // calls 1
    }

    static long factorial(int n) { // calls 11
        return n == 0 ? 1 : n * factorial(n - 1);
    }

    static int fib(int n) { // calls 21891
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static boolean even(int n) { // calls 501
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) { // calls 500
        return n != 0 && even(n - 1);
    }

    static int ackermann(int m, int n) { // calls 44
        if (m == 0) return n + 1;
        return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
    }

    /** Thrown at the bottom, passed on by all. */
    static void dive(int n) { // calls 33 exceptions 33
        if (n == 0) throw new IllegalStateException("bottom");
        dive(n - 1);
    }

    /** Every third activation throws and its caller catches: of 9..0, those of 9, 6, 3 and 0 throw. */
    static int bounce(int n) { // calls 10 exceptions 3
        int below = 0;
        if (n > 0) {
            try {
                below = bounce(n - 1);
            } catch (IllegalStateException e) {
                below = -1;
            }
        }
        if (n % 3 == 0 && n < 9) throw new IllegalStateException("bounce");
        return below + n;
    }

    private int hanoi(int n, char from, char over, char to) { // calls 2047
        return n == 0 ? 0 : hanoi(n - 1, from, to, over) + 1 + hanoi(n - 1, over, from, to);
    }
}
