/** What loaders of these programs define: run() calls step() ten times. It asks its loader for nothing but its supertypes. */
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
