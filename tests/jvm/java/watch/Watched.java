import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Calls that rules `watch` look at; each part's calls and values are known. */
public class Watched {
    enum State { NEW, PAID }

    static class Base {
        String inherited = "base";
        private int hidden = 1;
    }

    static class Customer extends Base {
        String name;
        boolean vip;
        Customer next;
        State state = State.PAID;
        String password = "secret";
        private int hidden = 2;

        Customer(String name, boolean vip) {
            this.name = name;
            this.vip = vip;
        }
    }

    String state;
    int count;
    long big = 1L << 40;
    double d = 2.5;
    float f = 1.5f;
    boolean on = true;
    char c = 'x';
    State e = State.NEW;
    Object nothing;
    static int shared = 9;

    Watched(String state) {
        this.state = state;
    }

    /** Its own field `state` is not that of the superclass's methods. */
    static class Sub extends Watched {
        String state = "SUB";

        Sub() {
            super("NEW");
        }
    }

    int all(int i, long l, double d, float f, boolean z, char c, String s, Object o, Customer u, byte b, short h) {
        count++;
        return i;
    }

    static void conditions() {
        Watched a = new Watched("NEW"), b = new Sub();
        Customer u = new Customer("Ann", true);
        u.next = new Customer(null, false);
        for (int i = 0; i < 10; i++) {
            Object o = i == 4 ? (Object) Integer.valueOf(4) : i == 6 ? "str" : State.NEW;
            Customer who = i < 3 ? u : i < 6 ? u.next : null;
            (i % 2 == 0 ? a : b).all(i, (long) i << 33, i / 2.0, i / 4f, i % 3 == 0, (char) ('a' + i), i == 5 ? null : "s" + i, o, who, (byte) -i, (short) (i * 1000));
        }
    }

    static Object values(boolean z, byte b, char c, short s, int i, long l, float f, double d, Object o) {
        return o;
    }

    static void kinds() {
        values(true, (byte) -1, 'é', (short) -2, Integer.MIN_VALUE, Long.MAX_VALUE, 1.5f, Double.NEGATIVE_INFINITY, null);
        Object[] objects = {
            "say \"hi\"\n\0\u20ac\ud83d\ude00", "half \ud83d", new int[] {1, 2, 3}, new String[][] {{"a"}, null}, new Object[11], 'c', 1.0f, true, State.PAID,
            new Customer("Bob", false), String.class, new char[] {'x'}, "", "a".repeat(199) + "\ud83d\ude00", "b".repeat(5000), new double[0], new boolean[] {true},
        };
        for (Object o : objects) values(false, (byte) 0, 'a', (short) 0, 0, 0, 0, Double.NaN, o);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static class Made extends Base {
        final int id;

        Made(int id) {
            super();
            if (id < 0) throw new IllegalArgumentException("negative: " + id);
            this.id = id;
        }
    }

    static void constructors() {
        for (int i = -2; i < 3; i++) {
            try {
                new Made(i);
            } catch (IllegalArgumentException e) {
            }
        }
    }

    static int throwing(int i) {
        if (i % 2 == 1) throw new IllegalStateException("odd " + i);
        if (i == 4) throw new Error();
        return i;
    }

    static void exceptions() {
        for (int i = 0; i < 6; i++) {
            try {
                throwing(i);
            } catch (IllegalStateException | Error e) {
            }
        }
    }

    static int slow(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return ms;
    }

    static void wait(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    static void login(String user, String password, Customer customer) {
    }

    static class Vault extends Customer {
        Vault(String password) {
            super("Ann", true);
            this.password = password;
            next = this;
        }

        String open(String password, String[] tokens, Customer customer) {
            return password;
        }

        Object fails(String password) {
            throw new IllegalStateException(new IllegalArgumentException("not " + password));
        }
    }

    /** Passes a text on that is in no class file. */
    static void secrets(String reversed) {
        String secret = new StringBuilder(reversed).reverse().append("\ud83d\ude00").toString();
        Vault vault = new Vault(secret);
        vault.open(secret, new String[] {secret, "x" + secret}, vault);
        try {
            vault.fails(secret);
        } catch (IllegalStateException e) {
        }
    }

    static int parallel(int thread, int i) {
        return thread * i;
    }

    static void threads() throws InterruptedException {
        Thread[] all = new Thread[8];
        for (int t = 0; t < all.length; t++) {
            int number = t;
            all[t] = new Thread(() -> {
                for (int i = 0; i < 1000; i++) parallel(number, i);
            }, "worker " + t);
            all[t].start();
        }
        for (Thread t : all) t.join();
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static int endless(int n) {
        return endless(n + 1) + 1;
    }

    static void overflow() {
        try {
            endless(0);
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
    }

    static long wide(long a, double b, int... rest) {
        long sum = a;
        for (int one : rest) sum += one;
        a = -1; // arguments are shown as they were passed
        b = -1;
        return sum;
    }

    static void hot(int calls) {
        long sum = 0;
        for (int i = 0; i < calls; i++) sum += wide(i, i);
        System.out.println(sum);
    }

    public static void main(String[] args) throws Exception {
        for (String part : args) {
            switch (part) {
                case "conditions": conditions(); break;
                case "kinds": kinds(); break;
                case "fib": System.out.println(fib(15)); break;
                case "constructors": constructors(); break;
                case "exceptions": exceptions(); break;
                case "slow": for (int i = 0; i < 5; i++) slow(i == 3 ? 200 : 0); break;
                case "order": for (int ms : new int[] {10, 60, 0, 80, 20, 70, 30, 0, 40}) wait(ms); break;
                case "login": login("ann", "hunter2", new Customer("Ann", true)); break;
                case "secrets": secrets("2retnuh"); break;
                case "secrets without a mask": secrets("nepo"); break;
                case "threads": threads(); break;
                case "deep": System.out.println(deep(1000)); break;
                case "overflow": overflow(); break;
                case "wide": System.out.println(wide(1L << 40, 2.5, 1, 2, 3)); break;
                case "hot": hot(200_000); break;
                case "forever":
                    System.out.println("ready");
                    for (int i = 0;; i++) {
                        parallel(i, 2);
                        Thread.sleep(1);
                    }
                default: throw new IllegalArgumentException(part);
            }
        }
    }
}
