package app;

/** The program of docs/commands/report.md. */
public final class App {
    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void fail() {
        throw new IllegalStateException("as it should");
    }

    @Deprecated
    static int old(int n) {
        return n;
    }

    public static void main(String[] args) {
        byte[] buffer = new byte[100];
        int sum = fib(20) + old(1) + old(2) + buffer.length;
        for (int i = 0; i < 3; i++) {
            try {
                fail();
            } catch (IllegalStateException expected) {
                sum++;
            }
        }
        Runnable last = () -> System.out.println("done");
        last.run();
        if (sum < 0) System.out.println(sum);
    }
}
