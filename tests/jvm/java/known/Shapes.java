package known;

import java.util.Objects;

/** Records, enums with bodies, inner, local and anonymous classes. */
final class Shapes {
    record Point(int x, long y) { // x calls 2; y calls 1; toString calls 1; equals calls 2; hashCode calls 2
        Point { // calls 5 exceptions 1
            if (x < 0) throw new IllegalArgumentException("x");
        }

        Point(int x) { // calls 2 completed 1
            this(x, 0);
        }

        double length() { // calls 1
            return Math.sqrt(x * x + y * y);
        }
    }

    record Empty() { // <init> calls 1; toString calls 1
    }

    enum Op { // <clinit> calls 1; $values calls 1; values calls 1
        ADD { // <init> calls 1
            @Override
            int apply(int a, int b) { // calls 1
                return a + b;
            }
        },
        DIVIDE { // <init> calls 1
            @Override
            int apply(int a, int b) { // calls 1 exceptions 1
                return a / b;
            }
        };

        Op() { // calls 2
        }

        abstract int apply(int a, int b);
    }

    private int field = 1;

    Shapes() { // calls 1
    }

    class Inner {
        class Deeper { // <init> calls 2
            int both() { // calls 2
                return field++ + own;
            }
        }

        int own = 10;

        Inner() { // calls 1
        }
    }

    int locals(int n) { // calls 3
        class Local { // <init> calls 3
            int plus(int k) { // calls 3
                return n + k;
            }
        }
        Object anonymous = new Object() { // <init> calls 3
            @Override
            public int hashCode() { // calls 3
                return n + field;
            }
        };
        return new Local().plus(1) + Objects.hash(anonymous);
    }

    static void run() { // calls 1
        Point p = new Point(3, 4);
        System.out.println("shapes " + p + p.x() + p.y() + p.length() + p.equals(new Point(3, 4)) + p.equals(new Point(3)));
        System.out.println((p.hashCode() == new Point(3, 4).hashCode()) + " " + p.x() + new Empty());
        try {
            new Point(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        for (Op op : Op.values()) {
            try {
                System.out.println(op + " " + op.apply(1, 0));
            } catch (ArithmeticException e) {
                System.out.println(e.getMessage());
            }
        }
        Shapes shapes = new Shapes();
        Inner inner = shapes.new Inner();
        for (int i = 0; i < 2; i++) System.out.println(inner.new Deeper().both());
        for (int i = 0; i < 3; i++) System.out.println(shapes.locals(i));
    }
}
