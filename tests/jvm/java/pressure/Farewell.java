import java.util.concurrent.CountDownLatch;

/** Loads classes and counts in a shutdown hook, while daemon threads keep running: some until the hook ends them, some to the JVM's end. */
final class Farewell {
    static volatile boolean stop;
    static final CountDownLatch GOING_ON = new CountDownLatch(4), STOPPED = new CountDownLatch(4);
    static final long[] CALLS = new long[4];
    static long sink;

    static void daemon(int i, CountDownLatch mainEnded) {
        long n = 0;
        for (; mainEnded.getCount() > 0 || n < 100_000; n++) counted();
        GOING_ON.countDown();
        for (; !stop; n++) counted();
        CALLS[i] = n;
        STOPPED.countDown();
    }

    static void counted() {
    }

    static void endless() {
        while (true) spun();
    }

    static void spun() {
        sink++;
    }

    static void hook() {
        new Foundry().make(1).applyAsInt(1000);
        new Late().go();
        stop = true;
        try {
            STOPPED.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        long sum = 0;
        for (long n : CALLS) sum += n;
        System.out.println("daemons " + sum);
    }

    static final class Late {
        void go() {
            for (int i = 0; i < 500; i++) step();
        }

        void step() {
        }
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch mainEnds = new CountDownLatch(1);
        for (int i = 0; i < 4; i++) {
            int number = i;
            Thread t = new Thread(() -> daemon(number, mainEnds));
            t.setDaemon(true);
            t.start();
        }
        Thread endless = new Thread(Farewell::endless);
        endless.setDaemon(true);
        endless.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            mainEnds.countDown();
            try {
                GOING_ON.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            hook();
        }));
        if (args[0].equals("exit")) System.exit(3);
    }
}
