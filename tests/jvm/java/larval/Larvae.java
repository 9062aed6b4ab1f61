import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Constructors that set fields before super(), with jumps between: the frames of value classes say which fields are not set yet. A comment is how
 * often a line is executed; in the head of a loop, the jump back counts too.
 */
public class Larvae {
    static int calls;

    static int seen(int x) {
        calls++;
        if (x == 13) {
            throw new IllegalStateException("thirteen");
        }
        return x;
    }

    static value class Branch {
        final int a;
        final int b;

        Branch(int x) {
            if (x < 0) { // 16
                a = -x; // 8
            } else {
                a = x; // 8
            }
            if (abs(x) > 5) { // 16
                b = 1; // 5
            } else {
                b = 2; // 11
            }
            super(); // 16
            if (x == 3) { // 16
                calls++; // 1
            }
        } // 16

        static int abs(int x) {
            return Math.abs(x); // 16
        }
    }

    static value class Loop {
        final int sum;
        final long last;

        Loop(int n) {
            last = n; // 6
            int s = 0; // 6
            for (int i = 0; i < n; i++) { // 78
                s += seen(i); // 74
            }
            sum = s; // 4
            super(); // 4
        } // 4
    }

    static value class Caught {
        final String text;
        final int number;

        Caught(String in) {
            number = in.length(); // 3
            String t;
            try {
                t = "" + Integer.parseInt(in); // 3
            } catch (NumberFormatException bad) { // 1
                t = "bad"; // 1
            } finally {
                calls++; // 3
            }
            text = t; // 3
            super(); // 3
        } // 3
    }

    static value class Switched {
        final int first;
        final String second;
        final double third;

        Switched(int kind, Object other) {
            first = kind; // 20
            switch (kind) { // 20
                case 0 -> second = "zero"; // 4
                case 1 -> second = "one"; // 4
                case 2 -> {
                    second = other == null ? "none" : other.toString(); // 4
                }
                default -> second = "many"; // 8
            }
            third = switch (other) {
                case null -> 0.5; // 5
                case String s when s.length() > 3 -> 1.5;
                case String s -> 2.5; // 5
                default -> seen(kind) > 1 ? 3.5 : 4.5; // 5
            };
            super(); // 20
        } // 20
    }

    static value record Point(int x, int y) {
        Point {
            if (x < 0) { // 3
                x = 0; // 1
            }
            if (y < 0) { // 3
                throw new IllegalArgumentException("y"); // 1
            }
        } // 2
    }

    static value record Line(Point from, Point to, boolean flat) {
        Line(Point from, Point to) {
            this(from, to, from.y() == to.y() && from != null); // 1
        } // 1
    }

    static abstract value class Shape {
        final int sides;

        Shape(int n) {
            sides = n > 2 ? n : 2; // 3
            super(); // 3
        } // 3

        abstract int area();
    }

    static value class Square extends Shape {
        final int edge;

        Square(int e) {
            edge = e > 0 ? e : seen(-e); // 4
            super(edge(e) > 10 ? 5 : 4); // 3
        } // 3

        static int edge(int e) {
            return e; // 3
        }

        int area() {
            return edge * edge * sides / 4; // 3
        }
    }

    static class Flexible {
        final int a;
        int b = 4;

        Flexible(int x) {
            if (x > 4) { // 12
                a = x; // 4
            } else if (x > 2) { // 8
                a = 2 * seen(x); // 4
            } else {
                throw new IllegalArgumentException("small"); // 4
            }
            super(); // 8
            b += a; // 8
        } // 8
    }

    static class Inner extends Flexible {
        final Object held;

        Inner(int x) {
            var list = new ArrayList<Integer>(); // 6
            for (int i = 0; i < x; i++) { // 27
                list.add(i); // 21
            }
            held = list.size() > 4 ? list : null; // 6
            super(list.size()); // 6
        } // 4
    }

    static value class Thrower {
        final int a;
        final int b;

        Thrower(int x) {
            a = x; // 4
            if (x == 1) { // 4
                throw new IllegalArgumentException("before"); // 1
            }
            b = x == 2 ? seen(13) : 2; // 3
            super(); // 2
            if (x == 3) { // 2
                throw new IllegalArgumentException("after"); // 1
            }
        } // 1
    }

    static value class Deep {
        final int a;
        final int b;
        final int c;
        final int d;

        Deep(int x) {
            if ((x & 1) != 0) { // 8
                a = 1; // 4
                if ((x & 2) != 0) { // 4
                    b = 1; // 2
                    while (seen(x) > 100) { // 5
                        x -= 50; // 3
                    }
                    c = (x & 4) != 0 ? 3 : 4; // 2
                } else {
                    synchronized (Deep.class) { // 2
                        c = x; // 2
                    }
                    b = c(x); // 2
                }
            } else {
                a = 2; // 4
                b = 3; // 4
                c = 4; // 4
                Runnable run = () -> seen(7);
                run.run(); // 4
            }
            d = a(x) + 1; // 8
            super(); // 8
        } // 8

        static int a(int x) {
            return x; // 8
        }

        static int c(int x) {
            return x + 1; // 2
        }
    }

    static value class Delegating {
        final int a;

        Delegating(int x) {
            a = x; // 2
            super(); // 2
        } // 2

        Delegating(String s) {
            int x = s.isEmpty() ? 0 : 1; // 2
            if (x > 0) { // 2
                calls++; // 1
            }
            this(x); // 2
            if (x == 0) { // 2
                calls--; // 1
            }
        } // 2
    }

    static String tried(Supplier<Object> made) {
        try {
            return "" + made.get();
        } catch (RuntimeException e) {
            StackTraceElement at = e.getStackTrace()[0];
            return e + " at " + at.getMethodName() + ":" + at.getLineNumber();
        }
    }

    public static void main(String[] args) {
        for (int i = -8; i < 8; i++) {
            Branch b = new Branch(i);
            System.out.println("Branch " + b.a + " " + b.b);
        }
        for (int i = 10; i < 16; i++) {
            int n = i;
            System.out.println("Loop " + tried(() -> new Loop(n).sum));
        }
        for (String s : List.of("12", "x", "-4")) {
            Caught c = new Caught(s);
            System.out.println("Caught " + c.text + " " + c.number);
        }
        for (int i = 0; i < 5; i++) {
            for (Object o : new Object[] {null, "abc", "abcd", 4}) {
                Switched s = new Switched(i, o);
                System.out.println("Switched " + s.first + " " + s.second + " " + s.third);
            }
        }
        System.out.println(tried(() -> new Line(new Point(-1, 2), new Point(3, 2))));
        System.out.println(tried(() -> new Point(1, -2)));
        for (int i : new int[] {-13, -4, 3, 11}) {
            System.out.println("Square " + tried(() -> new Square(i).area()));
        }
        for (int i = 1; i < 7; i++) {
            int n = i;
            System.out.println("Flexible " + tried(() -> new Flexible(n).b));
            System.out.println("Inner " + tried(() -> new Inner(n).held));
        }
        for (int i = 0; i < 4; i++) {
            int n = i;
            System.out.println("Thrower " + tried(() -> new Thrower(n).b));
        }
        for (int i = 0; i < 8; i++) {
            Deep d = new Deep(i == 7 ? 207 : i);
            System.out.println("Deep " + d.a + d.b + d.c + d.d);
        }
        System.out.println("Delegating " + new Delegating("").a + new Delegating("x").a);
        System.out.println("calls " + calls);
    }
}
