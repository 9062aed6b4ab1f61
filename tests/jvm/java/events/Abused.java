import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What a handler may do badly, it does to this program: the first argument says which part runs. */
public class Abused {
    static final AtomicLong SUM = new AtomicLong();

    static int work(int n) {
        SUM.addAndGet(n);
        return n + 1;
    }

    /** Overflows the stack, and says so. */
    static int deeper(int n) {
        return 1 + deeper(n + 1);
    }

    static class Spoken {
        static int calls;

        @Override
        public String toString() {
            calls++;
            work(1); // watched: a handler that calls this is not called again
            if (calls % 3 == 0) throw new IllegalStateException("not now");
            return "spoken " + deepest(200);
        }

        static int deepest(int n) {
            return n == 0 ? 0 : 1 + deepest(n - 1);
        }
    }

    static void take(Object o) {
        SUM.incrementAndGet();
    }

    static void threads(int threads, int calls) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Thread(() -> {
                try {
                    go.await();
                    for (int i = 0; i < calls; i++) {
                        work(1);
                        if (i % 100 == 0) Class.forName("Abused$Many" + i / 100 % 10);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            all[t].start();
        }
        go.countDown();
        for (Thread t : all) t.join();
    }

    static int slow(int n) throws InterruptedException {
        Thread.sleep(20);
        return work(n);
    }

    /** So many virtual threads, which go on on other carriers than they began on. */
    static void virtual(int n) throws Exception {
        ExecutorService all = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        for (int i = 0; i < n; i++) all.submit(() -> slow(1));
        all.shutdown();
        all.awaitTermination(1, TimeUnit.MINUTES);
    }

    /** Calls on so many threads, until the input ends. */
    static void load(int threads) throws Exception {
        for (int t = 0; t < threads; t++) {
            Thread thread = new Thread(() -> {
                while (true) work(deepOf(10));
            });
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        System.in.read();
        long before = SUM.get();
        while (SUM.get() == before) Thread.sleep(1);
        System.out.println("still working");
    }

    static Object failing(Object o) {
        throw new IllegalStateException("not now");
    }

    /** Two threads, each of which waits in its handler while the other one's runs. */
    static void foreign() throws Exception {
        Class.forName("Abused$Many0");
        take(new byte[100_000]);
        try {
            failing(new Spoken());
        } catch (IllegalStateException e) {
            take(new int[] {1});
        }
        Thread other = new Thread(() -> take(new Spoken()));
        other.start();
        take(new Spoken());
        other.join();
    }

    static int deepOf(int n) {
        return n == 0 ? 1 : deepOf(n - 1);
    }

    static class Many0 {}
    static class Many1 {}
    static class Many2 {}
    static class Many3 {}
    static class Many4 {}
    static class Many5 {}
    static class Many6 {}
    static class Many7 {}
    static class Many8 {}
    static class Many9 {}

    public static void main(String[] args) throws Exception {
        int n = args.length > 1 ? Integer.parseInt(args[1]) : 20;
        switch (args[0]) {
            case "calls":
                for (int i = 0; i < n; i++) work(1);
                break;
            case "threads":
                threads(n, 1000);
                break;
            case "overflow":
                for (int i = 0; i < n; i++) {
                    try {
                        deeper(0);
                    } catch (StackOverflowError e) {
                        SUM.incrementAndGet();
                    }
                }
                break;
            case "objects":
                for (int i = 0; i < n; i++) take(new Spoken());
                break;
            case "garbage":
                for (int i = 0; i < n; i++) {
                    work(1);
                    take(new byte[100_000]);
                    if (i % 50 == 0) System.gc();
                }
                break;
            case "foreign":
                foreign();
                break;
            case "virtual":
                virtual(n);
                break;
            case "load":
                load(n);
                return;
            case "waits":
                System.out.println("ready");
                System.in.read();
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        System.out.println(args[0] + " " + SUM.get());
    }
}
