/** The first of each line of classes, which Maker defines under other names. */
public class Made0000 implements Runnable {
    private int steps;

    public Made0000() {
    }

    @Override
    public void run() {
        for (int i = 0; i < 10; i++) step();
    }

    private void step() {
        steps++;
    }
}
