package suite;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two tests that run at once. */
@Execution(ExecutionMode.CONCURRENT)
class ParallelTest {
    private static final CountDownLatch open = new CountDownLatch(2);

    @BeforeAll
    static void initialises() {
        StateTest.Steady.initialise();
    }

    @RepeatedTest(2)
    void waits() throws InterruptedException {
        open.countDown();
        open.await();
    }
}
