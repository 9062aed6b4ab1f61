/** Calls of which rules choose some. */
public class Chosen {
    static final class Order {
        final String tenant;
        final boolean rush;
        Order(String tenant, boolean rush) { this.tenant = tenant; this.rush = rush; }
    }

    static Object kept;
    int size;

    int grow(int by) { size += by; return size; }

    static Object find(int i) {
        if (i % 5 == 4) throw new IllegalStateException();
        return i % 3 == 0 ? null : kept;
    }

    static void rest(int ms) throws Exception { Thread.sleep(ms); }

    void serve(Order order, int n) { work(); }

    static void work() { }

    static void make(int n) { kept = new byte[n]; kept = new String[n]; kept = new int[n][2]; kept = new Object(); }

    public static void main(String[] words) throws Exception {
        Chosen c = new Chosen();
        for (int i = 0; i < 100; i++) {
            c.grow(i);
            try { find(i); } catch (IllegalStateException e) { }
            c.serve(new Order(i % 2 == 0 ? "a" : "b", i % 5 == 0), i);
            make(i);
        }
        for (int i = 0; i < 4; i++) rest(i * 25);
    }
}
