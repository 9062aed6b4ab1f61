/** Ten threads with work for the processors, each with a stack of some 20 frames; it prints the time that it took in ms. */
public class Ten {
    static final int THREADS = 10;
    static volatile long sum;

    static long work(int depth, long seed, int rounds) {
        if (depth > 0) return work(depth - 1, seed + depth, rounds) * 31 + 1;
        for (int i = 0; i < rounds; i++) seed = seed * 6364136223846793005L + (seed >>> 33) + i;
        return seed;
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        long start = System.nanoTime();
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            long first = t;
            threads[t] = new Thread(() -> {
                long found = first;
                for (int i = 0; i < times; i++) found += work(16, found, 2000);
                sum += found;
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println((System.nanoTime() - start) / 1e6);
    }
}
