/** Methods that take long enough to be timed within a budget of their own, a constructor among them; and a tiny one, in threads. */
public class Budget {
    static volatile double sink;

    Budget() { work(); }

    static void work() {
        double sum = 0;
        for (int i = 1; i < 4000; i++) sum += Math.sqrt(i + sink);
        sink = sum % 2;
    }

    static void failing(int i) {
        double sum = 0;
        for (int k = 1; k < 4000; k++) sum += Math.sqrt(k + sink);
        sink = sum % 2;
        if (i % 2 == 0) throw new IllegalStateException();
    }

    /** Inner activations end long before the outermost one does. */
    static void deep(int levels) {
        work();
        if (levels > 1) deep(levels - 1);
    }

    static void pause() throws InterruptedException { Thread.sleep(1); }

    static int tiny(int i) { return Math.min(i & 7, 5); }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]), thrown = 0;
        for (int i = 0; i < n / 5; i++) pause();
        if (n > 0) deep(200);
        for (int i = 0; i < n; i++) {
            try {
                failing(i);
            } catch (IllegalStateException e) {
                thrown++;
            }
            if (i % 2 == 0) new Budget();
            else work();
        }
        for (int i = args.length > 2 ? Integer.parseInt(args[2]) : 0; i > 0; i--) sink += tiny(i);
        for (int t = args.length > 1 ? Integer.parseInt(args[1]) : 0; t > 0; t--) {
            Thread thread = new Thread(() -> { for (int i = 0; i < 1000; i++) sink += tiny(i); });
            thread.start();
            if (t % 8 == 0) thread.join();
        }
        System.out.println(thrown);
    }
}

class OtherBudget {
    public static void main(String[] args) throws Exception { Budget.main(args); }
}
