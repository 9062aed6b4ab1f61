import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/** Much of one kind: WHAT, how many of it, and how many rounds of work they share. Beyond what they cost, rounds take the same time for each number. */
public class Growth extends ClassLoader {
    static final int BUSY_CLASSES = 100;
    static volatile long sink;

    static int leaf(int x) {
        return x * 31 + (x >>> 7);
    }

    static int keyed(int key) {
        return leaf(key);
    }

    /** Rounds in stretches, each with its own key, so that no key is met twice in a row. */
    static void keys(int number, int rounds) {
        for (int i = 0; i < rounds; i++) sink = keyed(i % number);
    }

    static int down(int depth) {
        return depth == 0 ? leaf(1) : down(depth - 1) + 1;
    }

    static void depth(int number, int rounds) {
        for (int i = 0; i < rounds; i += number) sink = down(number);
    }

    static void calls(int rounds) {
        for (int i = 0; i < rounds; i++) sink = leaf(i);
    }

    static void threads(int number, IntConsumer work, int rounds) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(number);
        Thread[] threads = new Thread[number];
        for (int i = 0; i < number; i++) {
            threads[i] = new Thread(() -> {
                all.countDown();
                try {
                    all.await(); // so many at once
                } catch (InterruptedException e) {
                    return;
                }
                work.accept(rounds / number);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    public static class C000000 implements IntUnaryOperator {
        @Override
        public int applyAsInt(int x) {
            return first(x) + second(x);
        }

        int first(int x) {
            return x / 3;
        }

        int second(int x) {
            return x % 3;
        }
    }

    IntUnaryOperator[] classes(int number) throws Exception {
        IntUnaryOperator[] made = new IntUnaryOperator[number];
        byte[] template;
        try (InputStream file = Growth.class.getResourceAsStream("Growth$C000000.class")) {
            template = file.readAllBytes();
        }
        String text = new String(template, StandardCharsets.ISO_8859_1);
        for (int i = 0; i < number; i++) {
            String name = "C" + String.format("%06d", i);
            byte[] bytes = text.replace("C000000", name).getBytes(StandardCharsets.ISO_8859_1);
            made[i] = (IntUnaryOperator) defineClass("Growth$" + name, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
            sink += made[i].applyAsInt(i);
        }
        return made;
    }

    /** Three methods of each class, in turn. */
    static void all(IntUnaryOperator[] classes, int rounds) {
        for (int i = 0; i < rounds; i += 3 * classes.length)
            for (IntUnaryOperator one : classes) sink += one.applyAsInt(i);
    }

    public static void main(String[] args) throws Exception {
        int number = Integer.parseInt(args[1]), rounds = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        switch (args[0]) {
            case "threads" -> threads(number, Growth::calls, rounds);
            case "busy" -> {
                IntUnaryOperator[] classes = new Growth().classes(BUSY_CLASSES);
                threads(number, each -> all(classes, each), rounds);
            }
            case "keys" -> keys(number, rounds);
            case "depth" -> depth(number, rounds);
            case "calls" -> calls(number);
            default -> new Growth().classes(number);
        }
    }
}
