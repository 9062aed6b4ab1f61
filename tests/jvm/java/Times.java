/** Times with known relations: which contains which, and minimum durations. */
final class Times {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int callsFib() {
        return fib(22);
    }

    static boolean even(int n) throws InterruptedException {
        if (n % 10 == 0) Thread.sleep(5);
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) throws InterruptedException {
        return n != 0 && even(n - 1);
    }

    static boolean callsEven() throws InterruptedException {
        return even(50);
    }

    static void sleeps() throws InterruptedException {
        Thread.sleep(50);
    }

    static void callsSleeps() throws InterruptedException {
        for (int i = 0; i < 4; i++) sleeps();
    }

    static void sleepsAndThrows() throws InterruptedException {
        Thread.sleep(50);
        throw new IllegalStateException();
    }

    static synchronized void waitsForLock() {
    }

    static void holdsLock() throws InterruptedException {
        Thread other;
        synchronized (Times.class) {
            other = new Thread(Times::waitsForLock);
            other.start();
            while (other.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
            Thread.sleep(100);
        }
        other.join();
    }

    static int unequal(int n) throws InterruptedException {
        if (n % 10 == 0) Thread.sleep(20);
        return n;
    }

    static void callsUnequal() throws InterruptedException {
        for (int n = 0; n < 50; n++) unequal(n);
    }

    static void body() throws InterruptedException {
        callsFib();
        callsEven();
        callsSleeps();
        for (int i = 0; i < 2; i++) {
            try {
                sleepsAndThrows();
            } catch (IllegalStateException e) {
                fib(1);
            }
        }
        holdsLock();
        callsUnequal();
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            body();
            return;
        }
        // on a virtual thread, found by reflection: this is compiled for 17
        Object[] failed = new Object[1];
        Runnable r = () -> {
            try {
                body();
            } catch (Throwable t) {
                failed[0] = t;
            }
        };
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r)).join();
        if (failed[0] != null) throw new AssertionError((Throwable) failed[0]);
    }
}
