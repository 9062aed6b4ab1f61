/** Many class loaders load a copy of this class. */
public final class Plugin implements Runnable {
    static final class Item {
        long a, b;
        Object c;
    }

    static int steps;
    Object last;

    void step(int n) {
        last = new Item();
        if (n % 100 == 0) throw new IllegalStateException();
    }

    @Override
    public void run() {
        for (int n = 0; n < 1000; n++) {
            try {
                step(n);
            } catch (IllegalStateException e) {
                steps++;
            }
        }
    }
}
