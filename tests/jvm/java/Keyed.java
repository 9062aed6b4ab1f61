/** Calls whose keys are known: of each kind of value. The arguments: how often, in how many threads, of which kind. */
public class Keyed {
    enum State {
        NEW,
        PAID,
        SENT { /* a class of its own */ }
    }

    static final class Order {
        private final String tenant;
        private final String \uD835\uDC31 = "beyond the first 65,536 characters";
        private final State state;
        final int[] items;

        Order(String tenant, State state, int items) {
            this.tenant = tenant;
            this.state = state;
            this.items = new int[items];
        }

        int total(int n) {
            return n + items.length;
        }
    }

    /** As drivers have it: the text is in the object, or in an object of it. */
    static final class Prepared {
        private final String sql;
        private final Prepared of;

        Prepared(String sql, Prepared of) {
            this.sql = sql;
            this.of = of;
        }

        int execute() {
            return 1;
        }

        int again() {
            return 2;
        }
    }

    static final String[] TEXTS = {"select 1", "ü \uD83D\uDE00", "a\tb\nc", "", "null", "\"null\""};

    static int number(int n) {
        return n + 1;
    }

    static long big(long n) {
        return n;
    }

    static boolean flag(boolean b) {
        return b;
    }

    static char letter(char c) {
        return c;
    }

    static double real(double d) {
        return d;
    }

    static String text(String text) {
        return text;
    }

    static State constant(State s) {
        return s;
    }

    static Object any(Object o) {
        return o;
    }

    static int query(String text) {
        return text.length();
    }

    static void task(Runnable r) {
        r.run();
    }

    static int several(Order o, int i, int again) {
        return o.items.length;
    }

    static final String[][] PAIRS = {{"a, b", "c"}, {"a", "b, c"}, {"a", "\"b"}, {"a", "b\""}, {"a,", "b"}, {"\"a, b\"", ""}};

    static int pair(String one, String other) {
        return one.length() - other.length();
    }

    static int named() {
        return 3;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int first() {
        return stacked();
    }

    static int second() {
        return stacked();
    }

    static int stacked() {
        return 1;
    }

    static int many(int n) {
        return n;
    }

    static void throwing(String text) {
        throw new IllegalStateException(text);
    }

    static void run(int times) {
        for (int i = 0; i < times; i++) {
            number(i % 7 - 3);
            named();
            big(1L << i % 3 * 20);
            flag(i % 4 == 0);
            letter((char) ('a' + i % 2));
            real(i % 2 / 2.0);
            text(i % 8 == 7 ? null : i % 8 == 6 ? "\"" : new String(TEXTS[i % 8]));
            constant(i % 4 == 3 ? null : State.values()[i % 4]);
            any(i % 5 == 0 ? (Object) 5 : i % 5 == 1 ? "x" : i % 5 == 2 ? new int[1] : i % 5 == 3 ? String.class : State.SENT);
            String id = i % 2 == 0 ? "id = " + i : "id in (" + i + ", -1,2.5e3, 'it''s')";
            query("select *\n  from orders where " + id);
            Prepared prepared = new Prepared("delete from orders where " + id, null);
            prepared.execute();
            new Prepared("", prepared).again();
            int captured = i;
            task(() -> number(captured % 7 - 3));
            Order order = new Order("t" + i % 2, State.values()[i % 2], i % 2);
            several(order, i % 2, i);
            pair(PAIRS[i % PAIRS.length][0], PAIRS[i % PAIRS.length][1]);
            order.total(i);
            if (i % 4 == 0) first();
            else second();
            try {
                throwing(TEXTS[i % 2]);
            } catch (IllegalStateException e) {
            }
        }
        fib(5);
    }

    /** 5,000 keys, most of which come once each time; from the middle on, one that was not there before has half of the calls. */
    static void crowd(int times) {
        for (int i = 0; i < times; i++) many(i > times / 2 && i % 2 == 0 ? -1 : i % 5_000);
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]), n = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            Runnable work = args[2].equals("crowd") ? () -> crowd(times) : () -> run(times);
            threads[i] = args[2].equals("virtual") ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)
                                                   : new Thread(work, "worker-" + i);
            if (!args[2].equals("virtual")) threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        if (args.length > 3) Runtime.getRuntime().halt(0);
    }
}
