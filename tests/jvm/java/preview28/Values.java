import java.time.LocalDate;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Value objects (JEP 401) that are allocated, kept, compared and submitted. */
public class Values {
    value record Point(int x, long y) {}

    value record Link(int number, Link next) {}

    value record Task(int number) implements Runnable {
        public void run() {
            work(number);
        }
    }

    record Identity(int x) {}

    static final Object[] kept = new Object[2000];

    static void keep() {
        for (int i = 0; i < 1000; i++) {
            kept[i] = new Point(i, 2);
            kept[1000 + i] = new Identity(i);
        }
    }

    static void take(Object a, Object b, Object c) {}

    static void compare(Link a, Link b) {}

    static synchronized void work(int number) {}

    static void request(ExecutorService executor, int number) throws Exception {
        executor.execute(new Task(number));
        executor.submit(() -> work(number)).get();
    }

    static void end() {}

    static Link chain(int length) {
        Link link = null;
        for (int i = 0; i < length; i++) link = new Link(i, link);
        return link;
    }

    public static void main(String[] arguments) throws Exception {
        keep();
        take(new Point(1, 2), new Point(1, 2), new Point(1, 3));
        take(LocalDate.of(2026, 1, 2), LocalDate.of(2026, 1, 2), LocalDate.of(2026, 1, 3));
        take(1000, 1000, 1001);
        take(new Identity(1), new Identity(1), new Point(1, 2));
        compare(chain(3), chain(3));
        compare(chain(100_000), chain(100_000)); // its `==` would throw StackOverflowError
        ExecutorService executor = Executors.newFixedThreadPool(1);
        for (int i = 0; i < 10; i++) request(executor, i % 2);
        executor.shutdown();
        executor.awaitTermination(10, TimeUnit.SECONDS);
        end();
        System.out.println("done");
    }
}
