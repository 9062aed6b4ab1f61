import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** Threads that all exist at once, each running a little of the JDK's code. */
final class Crowded {
    static int step(int n) {
        return n + 1;
    }

    static int work(int rounds) {
        int sum = step(0);
        for (int i = 0; i < rounds; i++) {
            Map<String, Integer> map = new HashMap<>(), tree = new TreeMap<>();
            List<String> list = new ArrayList<>();
            for (int k = 0; k < 5; k++) {
                map.put("key " + k, k);
                tree.put("key" + k, k);
                list.add(String.format("%d", k));
            }
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
        CountDownLatch ready = new CountDownLatch(threads), go = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread t = new Thread(null, () -> {
                work(rounds);
                ready.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }, "t" + i, 256 << 10);
            all.add(t);
            t.start();
        }
        ready.await();
        go.countDown();
        for (Thread t : all) t.join();
        System.out.println("done");
    }
}
