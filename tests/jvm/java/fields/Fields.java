import java.lang.reflect.Field;

/** Writes and reads of fields whose numbers are known. */
public class Fields {
    static class Order {
        String state = "NEW";
        long cents;
        double weight;
        static int made;
        private final int id;

        Order(int id) {
            this.id = id;
            made++;
        }

        void pay() {
            state = "PAID";
            cents += id * 100L;
        }
    }

    static class Vip extends Order {
        int bonus;

        Vip(int id) {
            super(id);
            bonus = 7;
        }

        void upgrade() {
            state = "VIP";
            this.weight = cents / 2.0;
        }
    }

    /** Another field of the same name. */
    static class Other extends Order {
        String state = "other";

        Other() {
            super(99);
            state = "hidden";
        }
    }

    /** Writes a field before super(), as the compiler does for the outer object. */
    class Inner {
        int depth;

        Inner() {
            depth = 1;
        }
    }

    static void failing(Order order) {
        try {
            order.state = "never";
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int i = 0; i < 10; i++) {
            Order order = i % 5 == 4 ? new Vip(i) : new Order(i);
            order.pay();
            if (order instanceof Vip vip) {
                vip.upgrade();
                vip.cents = Long.MAX_VALUE - i;
            }
            sum += order.cents + order.state.length();
        }
        new Other();
        failing(null);
        Fields outer = new Fields();
        outer.new Inner();
        Field reflected = Order.class.getDeclaredField("state");
        reflected.set(new Order(100), "by reflection");
        System.out.println(sum + " " + Order.made);
    }
}
