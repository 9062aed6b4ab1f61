import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Lines whose executions are known: tests name them by what their comments say. */
public class Orders {
    private int count;
    private final String tenant;

    /** A name before super, and one behind. */
    Orders(String tenant) {
        this.tenant = tenant.trim(); // tenant
    }

    static class Item {
        final int price;

        Item(int price) {
            this.price = price; // nested
        }
    }

    enum State { NEW, PAID }

    long total(List<Item> items, State state) {
        long total = 0; // total
        for (Item item : items) { // header
            int price = item.price; // price
            if (price % 2 == 0) total += price; // even
        }
        for (int i = 0; i < 4; i++) count += i; // one-line loop
        IntUnaryOperator twice = x -> x * 2; // lambda
        total += twice.applyAsInt(1) + twice.applyAsInt(2); // calls
        return total; // done
    }

    synchronized int guarded(int n) {
        synchronized (tenant) { // monitor
            if (n == 3) throw new IllegalStateException("three"); // throws
            count++; // guarded
        } // released
        return n; // returned
    }

    static String kinds(boolean flag, byte b, char c, short s, int i, long j, float f, double d, String text, int[] many, Object nothing) {
        String[] copy = {text}; // copy
        return text + copy.length; // kinds
    }

    static int scopes(int n) {
        if (n > 1) {
            int deep = n * 10; // deep
            n += deep; // scoped
        } else {
            String deep = "low" + n; // text
            n += deep.length(); // other
        }
        int later; // nothing
        later = n; // later
        return later; // end
    }

    static int caught(int n) {
        try {
            if (n % 3 == 0) throw new IllegalArgumentException(); // thrown
        } catch (IllegalArgumentException e) {
            return 0; // handled
        } finally {
            n++; // finally
        }
        return n; // normal
    }

    static int chosen(int n) {
        switch (n % 4) { // switch
            case 0: return 1; // zero
            case 1: n++; // one falls
            case 2: n++; // two
            default: break; // default
        }
        int k = 0;
        do { k++; } while (k < n); // do
        return k;
    }

    static int begins(int n) {
        for (; n > 0; n--) { // loop at the start
            Math.abs(n);
        }
        return n;
    }

    static int loops(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) { // loop
            sum += i; // in a loop
        }
        for (int i = 0; i < n; i++) if (i % 2 == 0) continue; else // goes on
            sum += i; // else
        for (int i = 0; i < n; i = i % 2 == 0 ? i + 1 : Math.abs(i + 1)) { // chooses
            sum += i;
        }
        return sum;
    }

    public static void main(String[] args) {
        Orders orders = new Orders(" ann ");
        for (int round = 0; round < 5; round++) {
            List<Item> items = new ArrayList<>();
            for (int i = 0; i < 10; i++) items.add(new Item(i + round)); // items
            orders.total(items, round == 2 ? State.PAID : State.NEW);
            try {
                orders.guarded(round);
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
            kinds(round == 1, (byte) -round, (char) ('a' + round), (short) round, round, 1L << 40 + round, round / 2f, round / 4.0, "text" + round, new int[round], null);
            scopes(round);
            caught(round);
            chosen(round);
            begins(10);
            loops(10);
        }
        System.out.println(orders.count);
    }
}
