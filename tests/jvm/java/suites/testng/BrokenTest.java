package suite;

import org.testng.annotations.*;

/** Its set-up fails. */
public class BrokenTest {
    @BeforeClass public void all() { NextTest.leaves(2000); throw new IllegalStateException("no"); }
    @Test public void never() { NextTest.leaves(99); }
}
