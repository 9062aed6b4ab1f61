/**
 * Threads whose stack ends where a context begins or ends, at another place each time. Afterwards such a thread calls `leaf` outside of contexts, while
 * another thread calls it in the context: no call may be lost, and none of the first thread's may be lost to the block of the second.
 */
public class ContextOverflow {
    static final int CALLS = 20_000;
    static int sink, seen;

    static void leaf() {
        seen = sink;
    }

    static void work() {
        for (int i = 0; i < CALLS; i++) leaf();
    }

    static void context(boolean works) {
        if (works) work();
    }

    static long deeper(long a) {
        context(false);
        return deeper(a + 1) + a;
    }

    static long padded(int n) {
        return n > 0 ? padded(n - 1) + n : deeper(1);
    }

    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            int depth = i;
            Thread thread = new Thread(null, () -> {
                try {
                    padded(depth);
                } catch (StackOverflowError end) {
                    // as wanted
                }
                Thread other = new Thread(() -> context(true));
                other.start();
                work();
                try {
                    other.join();
                } catch (InterruptedException never) {
                    throw new AssertionError(never);
                }
            }, "deep", 256 << 10);
            thread.start();
            thread.join();
        }
        System.out.println(2L * rounds * CALLS);
    }
}
