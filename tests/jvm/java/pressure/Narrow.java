import java.util.concurrent.atomic.AtomicInteger;

/** `all KB N`: N threads with this much stack load a class each. `end KB N`: N classes are loaded where the stack is almost used up. */
final class Narrow {
    static final AtomicInteger LOADED = new AtomicInteger();
    static int deepest;

    static void load(int number) {
        new Foundry().make(number).applyAsInt(10);
        LOADED.incrementAndGet();
    }

    static void dive(int depth, int number) {
        deepest = Math.max(deepest, depth);
        if (depth == number) return;
        dive(depth + 1, number);
    }

    static void loadAt(int depth, int number) {
        if (depth == 0) load(number);
        else loadAt(depth - 1, number);
    }

    static void end(int n) {
        try {
            dive(0, -1);
        } catch (StackOverflowError e) {
            LOADED.set(0);
        }
        for (int i = 1; i <= n; i++) {
            try {
                loadAt(deepest * (n - i) / n, i);
            } catch (StackOverflowError | NoClassDefFoundError e) {
                LOADED.get(); // no room; a class whose initialiser failed stays unusable
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[2]);
        long bytes = Long.parseLong(args[1]) << 10;
        if (args[0].equals("end")) {
            load(999999); // loads everything that the program itself needs
            Thread t = new Thread(null, () -> end(n), "end", bytes);
            t.start();
            t.join();
            System.out.println(LOADED.get() > 0);
            return;
        }
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            int number = i + 1;
            (threads[i] = new Thread(null, () -> load(number), "narrow", bytes)).start();
        }
        for (Thread t : threads) t.join();
        System.out.println(LOADED.get());
    }
}
