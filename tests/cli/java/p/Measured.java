package p;

import java.util.ArrayList;
import java.util.List;

/** Something for each measure: calls, times, samples, objects that live on, a contended monitor, values to watch. */
public class Measured {
    static final List<Object> KEPT = new ArrayList<>();
    static final Object MONITOR = new Object();

    record Order(int id, String customer) {
    }

    static long spin(int ms) {
        long until = System.nanoTime() + ms * 1_000_000L, n = 0;
        while (System.nanoTime() < until) n++;
        return n;
    }

    static int place(Order order, String state, double[] prices) {
        spin(1);
        if (order.id() % 4 == 3) throw new IllegalStateException("order " + order.id() + " is <b>closed</b>\n");
        return pay(order);
    }

    static int pay(Order order) {
        return order.id() > 2 ? ship(order) : 0;
    }

    static int ship(Order order) {
        spin(2);
        return 1;
    }

    static void keep(int n) {
        KEPT.add(new byte[n]);
        KEPT.add(new Order(n, "Ann"));
    }

    static void enter(int ms) {
        synchronized (MONITOR) {
            spin(ms);
        }
    }

    static void await(int ms) throws InterruptedException {
        synchronized (MONITOR) {
            MONITOR.wait(ms);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 12; i++) {
            try {
                place(new Order(i, "Ann \"the\" <Great>"), i % 2 == 0 ? "NEW" : null, new double[] {i, 0.5});
            } catch (IllegalStateException e) {
                keep(100);
            }
            keep(1000 * i);
        }
        spin(200);
        Thread other = new Thread(() -> enter(20), "other");
        synchronized (MONITOR) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED) spin(1);
            spin(20);
        }
        enter(1);
        await(20);
        other.join();
    }
}
