package suite;

import org.junit.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import java.util.Arrays;
import java.util.Collection;

/** As JupiterTest. */
public class OldTest {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    @BeforeClass public static void all() { leaves(1000); }
    @AfterClass public static void none() { leaves(100); }
    @Before public void each() { leaves(10); }
    @Test public void one() { leaves(1); }
    @Test public void fails() { leaves(3); Assert.fail("no"); }
    @Test public void aborts() { leaves(4); Assume.assumeTrue(false); }
    @Test @Ignore public void skipped() { leaves(99); }
    @Test(timeout = 60_000) public void timeout() { leaves(50); }

    @RunWith(Parameterized.class) public static class Numbers {
        final int n;

        public Numbers(int n) { this.n = n; }

        @Parameterized.Parameters public static Collection<Object[]> numbers() {
            leaves(3000);
            return Arrays.asList(new Object[] {5}, new Object[] {6});
        }

        @Test public void number() { leaves(n); }
    }

    public static class Broken {
        @BeforeClass public static void all() { leaves(2000); throw new IllegalStateException("no"); }
        @Test public void never() { leaves(1); }
    }
}
