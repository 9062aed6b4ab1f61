/** Sleeps for 2 ms, 20 times, and says how long the callers waited; then calls a method of null, 7 times. */
public class Sleeps {
    public static void main(String[] args) throws Exception {
        Object lock = new Object();
        long spent = 0;
        for (int i = 0; i < 20; i++) {
            long from = System.nanoTime();
            synchronized (lock) {
                Thread.sleep(2);
            }
            spent += System.nanoTime() - from;
        }
        Object none = args.length == 0 ? null : "";
        for (int i = 0; i < 7; i++) {
            try {
                none.hashCode();
            } catch (NullPointerException e) {
                spent++;
            }
        }
        System.out.println("spent " + spent);
    }
}
