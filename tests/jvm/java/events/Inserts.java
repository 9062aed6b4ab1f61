import java.util.ArrayList;
import java.util.List;

/** Methods of many forms, and what their calls are told of. */
public class Inserts {
    /** What scripts insert calls of. */
    public static class Tracker {
        static final List<String> SEEN = new ArrayList<>();

        public static void enter(String method, int number) {
            add("enter " + method);
        }

        public static void got(int a) {
            add("got int " + a);
        }

        public static void got(long a) {
            add("got long " + a);
        }

        public static void got(double a) {
            add("got double " + a);
        }

        public static void got(boolean a) {
            add("got boolean " + a);
        }

        public static void got(Object a) {
            add("got " + a);
        }

        public static void result(int a, String method) {
            add(method + " gave int " + a);
        }

        public static void result(long a, String method) {
            add(method + " gave long " + a);
        }

        public static void result(Object a, String method) {
            add(method + " gave " + a);
        }

        public static void all(Object self, Object[] args) {
            add("all " + (self != null) + " " + List.of(args));
        }

        public static void failed(Throwable e, String method) {
            add(method + " threw " + e.getMessage());
        }

        public static void allocated(String type, int line) {
            add("allocated " + type);
        }

        public static void calls(String called, String method) {
            add(method + " calls " + called);
        }

        public static void line(int line) {
            add("line");
        }

        static void hidden() {}

        private static void add(String what) {
            synchronized (SEEN) {
                SEEN.add(what);
            }
        }
    }

    final int size;

    Inserts(int size) {
        this(size, "by size");
    }

    Inserts(int size, String why) {
        this.size = size > 3 ? 3 : size;
    }

    int sum(int a, long b, double c) {
        return a > 0 ? (int) (a + b + c) : size;
    }

    static long wide(long a, boolean b) {
        long[] all = b ? new long[] {a} : new long[2];
        for (int i = 0; i < 2; i++) a += all.length;
        return a;
    }

    static Object object(Object o) {
        return o == null ? new StringBuilder("none") : List.of(o, new int[] {1}.length);
    }

    static void fails(String why) {
        if (why != null) throw new IllegalStateException(why);
    }

    public static void main(String[] words) {
        Inserts one = new Inserts(5);
        int sum = one.sum(1, 2, 3.5) + one.sum(0, 0, 0);
        long wide = wide(1, true) + wide(2, false);
        Object object = object(null);
        object("x");
        try {
            fails("wrong");
        } catch (IllegalStateException e) {
            fails(null);
        }
        System.out.println("sum " + sum + " wide " + wide + " object " + object);
        for (String what : Tracker.SEEN) System.out.println("seen " + what);
    }
}
