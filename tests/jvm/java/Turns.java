/** A method whose first hundred calls take nothing, and the next two hundred some milliseconds each; prints what all took. */
public class Turns {
    static volatile double sink;

    static void turn(int i) {
        long end = System.nanoTime() + (i < 100 ? 0 : 2_000_000);
        while (System.nanoTime() < end) sink += Math.sqrt(i);
    }

    public static void main(String[] args) {
        long took = 0;
        for (int i = 0; i < 300; i++) {
            long start = System.nanoTime();
            turn(i);
            took += System.nanoTime() - start;
        }
        System.out.println(took);
    }
}
