import java.util.*;

/** A little of everything that can be counted, the same in each run; if told to, waits in its last method for a line of input. */
public class Small {
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    record Box(int a, int b) implements Shape { public int area() { return a * b; } }

    static class Hot {
        static int tiny(int i) { return i & 7; }

        static int run(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += tiny(i);
            return sum;
        }
    }

    static class Failing {
        static int half(int i) {
            if (i % 2 == 1) throw new IllegalStateException();
            return i / 2;
        }

        static int tried(int i) {
            try { return half(i); } catch (IllegalStateException e) { return -1; }
        }
    }

    static int shapes(int n) {
        List<Shape> all = new ArrayList<>();
        for (int i = 0; i < n; i++) all.add(i % 3 == 0 ? new Square(i) : new Box(i, 2));
        int[][] table = new int[n][4];
        return all.stream().mapToInt(Shape::area).sum() + table.length;
    }

    static int work(int n) {
        int sum = Hot.run(20 * n) + shapes(n);
        for (int i = 0; i < n; i++) sum += Failing.tried(i);
        return sum;
    }

    static void last(boolean waits) throws Exception {
        if (waits) System.in.read();
    }

    public static void main(String[] args) throws Exception {
        int[] sums = new int[3];
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int own = t;
            (threads[t] = new Thread(() -> sums[own] = work(60))).start();
        }
        sums[2] = work(30);
        for (Thread t : threads) t.join();
        System.out.println(Arrays.toString(sums));
        last(args.length > 0);
        System.exit(3);
    }
}
