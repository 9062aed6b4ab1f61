import java.util.Arrays;

/** Calls methods of classes that have very many probes, in contexts that are new each time; prints the microseconds of one, the median. */
public class Wide {
    static int each;
    static long sink;

    static void test(int number, Runnable[] called) {
        for (Runnable one : called) one.run();
    }

    /** How many classes are called in a test, how many methods of each, and how many tests there are. */
    public static void main(String[] args) throws Exception {
        Runnable[] all = new Runnable[100];
        for (int i = 0; i < all.length; i++) all[i] = (Runnable) Class.forName("P" + i).getDeclaredConstructor().newInstance();
        Runnable[] called = Arrays.copyOf(all, Integer.parseInt(args[0]));
        each = Integer.parseInt(args[1]);
        long[] took = new long[Integer.parseInt(args[2])];
        for (int i = 0; i < took.length; i++) {
            long began = System.nanoTime();
            test(i, called);
            took[i] = System.nanoTime() - began;
        }
        long[] warm = Arrays.copyOfRange(took, took.length / 3, took.length);
        Arrays.sort(warm);
        System.out.println(warm[warm.length / 2] / 1e3);
    }
}
