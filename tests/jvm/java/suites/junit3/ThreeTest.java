package suite;

import junit.framework.TestCase;

/** A test without annotations. */
public class ThreeTest extends TestCase {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    /** Once for each test, before the first. */
    public ThreeTest() { leaves(1000); }

    @Override protected void setUp() { leaves(10); }
    public void testOne() { leaves(1); }
    public void testFails() { leaves(3); fail("no"); }
    public void testThrows() { leaves(4); throw new IllegalStateException("no"); }
}
