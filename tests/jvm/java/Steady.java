/** Calls the same methods again and again until its input ends. */
public class Steady {
    static volatile double sink;

    public static void main(String[] arguments) throws Exception {
        Thread worker = new Thread(() -> {
            while (true) outer();
        });
        worker.setDaemon(true);
        worker.start();
        while (sink == 0) Thread.onSpinWait();
        System.out.println("ready");
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    static void outer() {
        byte[] bytes = new byte[100];
        for (int i = 0; i < bytes.length; i++) step(i);
        sink += bytes.length;
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void step(int i) {
        sink += Math.sqrt(i);
    }
}
