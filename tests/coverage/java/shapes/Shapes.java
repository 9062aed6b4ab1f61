import java.io.Closeable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Everything that compilers translate in a way of their own, each run in part. */
public class Shapes {
    enum Colour {
        RED, GREEN {
            @Override
            int rank() {
                return 7;
            }
        }, BLUE;

        int rank() {
            return ordinal();
        }
    }

    static class Resource implements Closeable {
        private final boolean fails;

        Resource(boolean fails) {
            this.fails = fails;
        }

        @Override
        public void close() {
            if (fails) {
                throw new IllegalStateException("close");
            }
        }
    }

    static class Generic<T extends Comparable<T>> implements Comparable<Generic<T>> {
        T value;
        private int count = 3;

        @Override
        public int compareTo(Generic<T> other) {
            return value.compareTo(other.value);
        }

        class Inner {
            int get() {
                return count++;
            }
        }
    }

    static class Utility {
        private Utility() {
        }

        static int twice(int x) {
            return 2 * x;
        }
    }

    private int field = 5;
    private final Object lock = new Object();

    Shapes() {
    }

    Shapes(int field) {
        this.field = field;
    }

    static int conditions(int x, boolean a, boolean b) {
        int result = 0;
        if (x > 0) {
            result++;
        }
        if (a && b || x == 3) {
            result += 2;
        }
        for (int i = 0; i < x; i++) {
            if (i == 2) {
                continue;
            }
            result += a ? i : -i;
        }
        while (result > 100) {
            result /= 2;
        }
        do {
            result--;
        } while (result > 10 && !b);
        return result;
    }

    static String byNumber(int x) {
        switch (x) {
            case 1:
                return "one";
            case 2:
            case 3:
                x++;
            case 1000:
                return "some";
            default:
                return "many";
        }
    }

    static int byString(String text) {
        switch (text) {
            case "a":
                return 1;
            case "Aa":
            case "BB":
                return 2;
            case "c":
                return 3;
            default:
                return 0;
        }
    }

    static int byEnum(Colour colour) {
        switch (colour) {
            case RED:
                return 1;
            case GREEN:
                return 2;
            default:
                return 3;
        }
    }

    static int resources(boolean body, boolean close) {
        try (Resource one = new Resource(false); Resource two = new Resource(close)) {
            if (body) {
                throw new IllegalArgumentException(one + "" + two);
            }
            return 1;
        } catch (IllegalArgumentException | IllegalStateException e) {
            return 2;
        }
    }

    static void plainResource() {
        try (Resource one = new Resource(false)) {
            one.hashCode();
        }
    }

    static int finallyBlocks(int x) {
        int result = 0;
        try {
            if (x == 1) {
                return 5;
            }
            if (x == 2) {
                throw new IllegalStateException();
            }
            result = 1;
        } catch (IllegalStateException e) {
            result = 2;
        } finally {
            result += 3;
            if (x > 5) {
                System.out.print("");
            }
        }
        for (int i = 0; i < 3; i++) {
            try {
                if (i == x) {
                    break;
                }
            } finally {
                result++;
            }
        }
        try {
            result++;
        } catch (RuntimeException e) {
        } finally {
            result--;
        }
        return result;
    }

    int locked() {
        synchronized (lock) {
            return field;
        }
    }

    static int asserted(int x) {
        assert x > 0 : "positive";
        return x;
    }

    static int lambdas(int x) {
        Supplier<Integer> plus = () -> x > 2 ? x : 0;
        Runnable never = () -> {
            System.out.println(x);
        };
        return plus.get() + (never == null ? 1 : 0);
    }

    static int thrower(int x) {
        int a = x + 1;
        int b = check(a) + check(a + 1);
        return a + b;
    }

    static int check(int x) {
        if (x > 3) {
            throw new UnsupportedOperationException(
                "too large: " + x);
        }
        return x;
    }

    static Class<?> nested() {
        return new Object() {
            Class<?> get() {
                return Shapes.class;
            }
        }.get();
    }

    static long numbers(long x, double y, Object o) {
        int[] array = {1, 2, 3};
        long sum = 0;
        for (int i : array) {
            sum += i;
        }
        List<String> list = new ArrayList<>(Arrays.asList("a", "b"));
        for (String s : list) {
            sum += s.length();
        }
        if (x < 5L && y >= 2.5 && o instanceof String && o != null) {
            sum++;
        }
        return o == null ? sum : x > sum ? 1 : 2;
    }

    public static void main(String[] args) {
        new Shapes();
        System.out.println(new Shapes(3).locked());
        System.out.println(conditions(5, true, false) + conditions(-1, false, true) + conditions(3, true, true));
        System.out.println(byNumber(1) + byNumber(3) + byString("BB") + byString("zz") + byEnum(Colour.RED) + Colour.GREEN.rank());
        System.out.println(resources(false, false) + resources(true, false));
        plainResource();
        System.out.println(finallyBlocks(0) + finallyBlocks(2));
        System.out.println(asserted(1) + lambdas(3) + Utility.twice(2));
        for (int i = 0; i < 4; i++) {
            try {
                System.out.println(thrower(i));
            } catch (UnsupportedOperationException e) {
                System.out.println("caught");
            }
        }
        Generic<String> g = new Generic<>();
        g.value = "x";
        System.out.println(g.compareTo(g) + g.new Inner().get() + Colour.valueOf("BLUE").rank());
        System.out.println(nested().getName() + numbers(3, 2.5, "s"));
    }
}
