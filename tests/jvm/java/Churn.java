/** 5,000 short-lived threads, some at a time; each calls 10 times and throws once. */
final class Churn {
    static Object sink;

    static void call(int n) {
        sink = new Object();
        if (n == 0) throw new IllegalStateException();
    }

    static void work() {
        for (int n = 9; n >= 0; n--) {
            try {
                call(n);
            } catch (IllegalStateException e) {
                sink = null;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[25];
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < threads.length; i++) (threads[i] = new Thread(Churn::work)).start();
            for (Thread t : threads) t.join();
        }
    }
}
