package suite;

import org.testng.Assert;
import org.testng.IRetryAnalyzer;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.annotations.*;

/** As JupiterTest. */
public class NextTest {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    @BeforeClass public void all() { leaves(1000); }
    @AfterClass public void last() { leaves(100); }
    @BeforeMethod public void before() { leaves(10); }
    @Test public void one() { leaves(1); }
    @Test public void fails() { leaves(3); Assert.fail("no"); }
    @Test public void aborts() { leaves(4); throw new SkipException("not here"); }
    @Test(dependsOnMethods = "fails") public void depends() { leaves(99); }
    @DataProvider public Object[][] numbers() { return new Object[][] {{5}, {6}}; }
    @Test(dataProvider = "numbers") public void numbered(int n) { leaves(n); }
    @Test(retryAnalyzer = Again.class) public void flaky() { leaves(20); Assert.assertTrue(Again.done); }

    /** Once more after the first failure. */
    public static class Again implements IRetryAnalyzer {
        static volatile boolean done;

        @Override public boolean retry(ITestResult result) { return !done && (done = true); }
    }

    @Test(timeOut = 60_000) public void timeout() { leaves(50); }
}
