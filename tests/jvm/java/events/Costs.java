/** A method that is called often: prints ns per call, best of several rounds. */
public class Costs {
    static volatile long sink;
    long state = 1;

    long call(long a, int b) {
        return state = state * 31 + a + b;
    }

    /** Rounds that the agent can note without losing any, with time between them for those whom it tells. */
    static void rounds(int rounds, int calls) throws InterruptedException {
        Costs c = new Costs();
        double best = 1e9;
        for (int i = 0; i < 100_000; i++) c.call(i, 1);
        for (int r = 0; r < rounds; r++) {
            Thread.sleep(50);
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) c.call(i, 1);
            best = Math.min(best, (System.nanoTime() - start) / (double) calls);
        }
        sink = c.state;
        System.out.printf("ns %.1f%n", best);
    }

    public static void main(String[] args) throws Exception {
        rounds(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    }
}
