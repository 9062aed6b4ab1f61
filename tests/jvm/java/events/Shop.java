import java.util.ArrayList;
import java.util.List;

/** Orders are placed; some are refused. The argument says how many. */
public class Shop {
    static class Order implements java.io.Serializable {
        final int id;
        final String state;
        final double[] prices;
        Order next;

        Order(int id, String state) {
            this.id = id;
            this.state = state;
            this.prices = new double[] {id * 1.5, id};
        }

        @Override
        public String toString() {
            return "Order " + id + " " + state;
        }
    }

    final List<Order> orders = new ArrayList<>();
    private final String name = "corner";

    boolean place(Order order, int count, long weight, double price, char size, boolean gift, byte[] label) {
        if (count > 2) throw new IllegalArgumentException("too many");
        orders.add(order);
        return gift;
    }

    static String greet(String who) {
        return "hello " + who;
    }

    static int depth(int n) {
        return n == 0 ? 0 : 1 + depth(n - 1);
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        Shop shop = new Shop();
        int refused = 0;
        for (int i = 0; i < n; i++) {
            try {
                shop.place(new Order(i, i % 2 == 0 ? "NEW" : "OLD"), i % 4, 1L << 40, 0.5, 'x', i % 3 == 0, new byte[] {1, -2});
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        System.out.println(greet("w\u00f6rld") + " " + shop.orders.size() + " " + refused + " " + depth(5));
        Thread t = new Thread(() -> greet("thread"), "helper");
        t.start();
        t.join();
        System.gc();
        Object lock = new Order(0, "LOCK");
        Thread waits = new Thread(() -> {
            synchronized (lock) {
                greet("lock");
            }
        }, "waiting");
        synchronized (lock) {
            waits.start();
            while (waits.getState() != Thread.State.BLOCKED) Thread.sleep(1);
            Thread.sleep(30);
        }
        waits.join();
    }
}
