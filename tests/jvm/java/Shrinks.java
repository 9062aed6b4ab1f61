/** Two threads that want one monitor, which each holds for long; from a line on standard input on, shortly. */
public class Shrinks {
    static volatile int millis = 500;

    static synchronized void use() throws InterruptedException {
        Thread.sleep(millis);
    }

    static void repeat() {
        try {
            while (true) {
                use();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(Shrinks::repeat);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        while (System.in.read() != -1) {
            millis = 1;
            synchronized (Shrinks.class) {
                System.out.println("short");
            }
        }
    }
}
