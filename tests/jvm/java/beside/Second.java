/** Another class of the same loader. */
public class Second extends Guest {
    @Override
    public void run() {
        super.run();
        more();
    }

    private void more() {
    }
}
