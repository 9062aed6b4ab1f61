package suite;

/** Tests without a framework, as Surefire runs them. */
public class PlainTest {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    public void setUp() {
        leaves(1);
    }

    public void tearDown() {
        leaves(10);
    }

    public void testOne() {
        leaves(100);
    }

    public void testFails() {
        leaves(200);
        throw new IllegalStateException("no");
    }
}
