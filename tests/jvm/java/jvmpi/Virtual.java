import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Virtual threads, of which all are there at once; by reflection, since Java 17 has none. */
public class Virtual {
    static void begin(int i) {}

    static void end(int i) {}

    public static void main(String[] words) throws Exception {
        int n = Integer.parseInt(words[0]);
        CountDownLatch begun = new CountDownLatch(n);
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        var start = Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int number = i;
            threads.add((Thread) start.invoke(builder, (Runnable) () -> {
                begin(number);
                begun.countDown();
                try {
                    begun.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                end(number);
            }));
        }
        for (Thread t : threads) t.join();
    }
}
