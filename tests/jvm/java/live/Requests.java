import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;

/** Serves requests of three kinds on virtual threads, eight at a time, until its input ends; a kind calls a method of its own after it has waited. */
class Requests {
    private static final Object MONITOR = new Object();

    static void a() throws Exception {
        Thread.sleep(1);
        inA();
    }

    static void b() throws Exception {
        Thread.sleep(2);
        ForkJoinPool.commonPool().submit(Requests::inB).get();
    }

    static void c() throws Exception {
        synchronized (MONITOR) {
            Thread.sleep(1);
        }
        inC();
    }

    static void inA() {}

    static void inB() {}

    static void inC() {}

    static void request(int number) {
        try {
            switch (number % 3) {
                case 0 -> a();
                case 1 -> b();
                default -> c();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        var turns = new Semaphore(8);
        System.out.println("ready");
        for (int i = 0; System.in.available() == 0; i++) {
            turns.acquire();
            int number = i;
            Runnable task =
                    () -> {
                        request(number);
                        turns.release();
                    };
            start.invoke(null, task);
        }
        turns.acquire(8);
    }
}
