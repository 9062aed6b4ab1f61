/** The other classes of a line: each extends the one before. */
public class Made0001 extends Made0000 {
    private int more;

    public Made0001() {
    }

    @Override
    public void run() {
        super.run();
        more();
    }

    private void more() {
        more++;
    }
}
