import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/** THREADS threads start at the same time to load CLASSES generated classes each, each thread with its own loader. */
final class Storm {
    static void load(int first, int classes, CyclicBarrier begin, AtomicLong sum) {
        Foundry foundry = new Foundry();
        try {
            begin.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        for (int i = 0; i < classes; i++) sum.addAndGet(foundry.make(first + i).applyAsInt(10));
    }

    public static void main(String[] args) throws Exception {
        int classes = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        CyclicBarrier begin = new CyclicBarrier(threads.length);
        AtomicLong sum = new AtomicLong();
        for (int i = 0; i < threads.length; i++) {
            int first = i * classes + 1;
            (threads[i] = new Thread(() -> load(first, classes, begin, sum))).start();
        }
        for (Thread t : threads) t.join();
        System.out.println(sum);
    }
}
