package app;

/** A program that goes on until its input ends: it takes an order every 10 ms. */
public final class Service {
    private int orders;

    int order(int item) {
        if (item % 100 == 99) throw new IllegalArgumentException("no item " + item);
        return price(item);
    }

    int price(int item) {
        return item * 7 % 1000;
    }

    void serve() throws Exception {
        while (System.in.available() >= 0) {
            try {
                order(orders++);
            } catch (IllegalArgumentException e) {
                // the customer is told
            }
            Thread.sleep(10);
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("open");
        new Service().serve();
    }
}
