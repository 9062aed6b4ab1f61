package known;

/** A constructor's exceptional exit counts from the return of super() or this() on: what throws before leaves the call without an end. */
final class Constructors {
    static int check(int n) { // calls 11 exceptions 2
        if (n < 0) throw new IllegalArgumentException("check " + n);
        return n;
    }

    static class Base {
        final int n;

        Base(int n) { // calls 14 exceptions 3
            this.n = n;
            if (n == 3 || n == 5) throw new IllegalStateException("base " + n);
        }

        Base() { // calls 1
            this(100);
        }

        Base(boolean never) { // calls 2 completed 1
            this(never ? 3 : 101);
        }
    }

    /** Of -2..7: two throw in the argument, two in super(), one afterwards. */
    static class Derived extends Base {
        final Object more = new Object();

        Derived(int n) { // calls 10 completed 6 exceptions 1
            super(check(n));
            if (n == 7) throw new IllegalStateException("derived");
        }
    }

    static class Guarded extends Base {
        int state;

        Guarded(int k) { // calls 2 exceptions 1
            super(k > 0 ? k : 2 * k);
            try {
                state = 10 / k;
            } catch (ArithmeticException e) {
                state = -1;
                throw e;
            } finally {
                state++;
            }
        }
    }

    static class Delegating {
        final String s;

        Delegating(String s) { // calls 4 exceptions 1
            this.s = s.trim();
        }

        Delegating(int n) { // calls 3
            this("" + n);
        }

        Delegating(long n) { // calls 3 completed 2
            this((int) (6 / n));
        }

        Delegating(Object o) { // calls 1 completed 0
            this((String) null);
        }
    }

    static class Initialised {
        int a = check(5);
        int[] b = {1, 2, 3};

        {
            if (a != 5) throw new AssertionError();
        }

        Initialised() { // calls 1
            b[0]++;
        }
    }

    static class Implicit { // <init> calls 2
        long l = 1L;
    }

    class Inner {
        final int i;

        Inner(int i) { // calls 2
            this.i = i + offset;
        }
    }

    final int offset;

    Constructors(int offset) { // calls 1
        this.offset = offset;
    }

    /** A loop back to the first instruction after super(), and one before it in an argument. */
    static class Looping extends Base {
        Looping(int n, int... more) { // calls 1
            super(more.length > 0 ? more[0] : n);
            do n--; while (n > 0);
        }
    }

    static void run() { // calls 1
        StringBuilder out = new StringBuilder("constructors");
        for (int n = -2; n < 8; n++) {
            try {
                out.append(' ').append(new Derived(n).n);
            } catch (RuntimeException e) {
                out.append(' ').append(e.getMessage());
            }
        }
        out.append(new Base().n).append(new Base(false).n);
        for (int k = 0; k < 2; k++) {
            try {
                out.append(' ').append(new Guarded(k).state);
            } catch (ArithmeticException e) {
                out.append(" by zero");
            }
        }
        for (long n = 0; n < 3; n++) {
            try {
                out.append(' ').append(new Delegating(n).s);
            } catch (ArithmeticException e) {
                out.append(" by zero");
            }
        }
        try {
            new Delegating(new Object());
        } catch (NullPointerException e) {
            out.append(" null");
        }
        try {
            new Base(true);
        } catch (IllegalStateException e) {
            out.append(' ').append(e.getMessage());
        }
        out.append(new Delegating(1).s).append(new Initialised().b[0]).append(new Implicit().l + new Implicit().l);
        Constructors outer = new Constructors(40);
        out.append(outer.new Inner(2).i).append(outer.new Inner(3).i);
        out.append(new Looping(5, 9, 8).n);
        System.out.println(out);
    }
}
