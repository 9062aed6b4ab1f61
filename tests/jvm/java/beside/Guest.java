/** The class that loaders of these programs define: run() calls step() ten times. It needs only its supertypes from its loader. */
public class Guest implements Runnable {
    private int steps;

    public Guest() {
    }

    @Override
    public void run() {
        for (int i = 0; i < 10; i++) step();
    }

    private void step() {
        steps++;
    }
}
