package shop;

/** Customers who pay at one till, while an auditor counts it; or, with `deadlock`, two who move money in both directions. */
public final class Tills {
    static final class Till {
        private long money;

        synchronized void pay(int amount) {
            money += amount;
        }

        synchronized long count() {
            long sum = 0, end = System.nanoTime() + 20_000_000; // as long as it takes
            while (System.nanoTime() < end) sum += money;
            return sum;
        }
    }

    static void nap(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void shop(Till till) {
        for (int i = 0; i < 200; i++) {
            till.pay(5);
            nap(1);
        }
    }

    static void audit(Till till) {
        for (int i = 0; i < 20; i++) {
            till.count();
            nap(5);
        }
    }

    static void move(Till from, Till to) {
        synchronized (from) {
            nap(100);
            synchronized (to) {
                from.money--;
                to.money++;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Till one = new Till(), other = new Till();
        Runnable buys = () -> shop(one);
        boolean both = args.length > 0 && args[0].equals("deadlock");
        Thread[] threads = both
            ? new Thread[] {new Thread(() -> move(one, other), "to-other"), new Thread(() -> move(other, one), "to-one")}
            : new Thread[] {new Thread(() -> audit(one), "auditor"), new Thread(buys, "customer-1"), new Thread(buys, "customer-2")};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("done");
    }
}
