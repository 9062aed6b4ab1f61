package suite;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test calls `leaf` a number of times that no other one does, ten of them in `each`. */
class JupiterTest {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    @BeforeAll static void all() { leaves(1000); }
    @AfterAll static void none() { leaves(100); }
    @BeforeEach void each() { leaves(10); }
    @Test void one() { leaves(1); }
    @Test @DisplayName("It fails") void fails() { leaves(3); fail("no"); }
    @Test void aborts() { leaves(4); Assumptions.assumeTrue(false); }
    @Test @Disabled void skipped() { leaves(99); }
    @ParameterizedTest @ValueSource(ints = {5, 6}) void parameterized(int n) { leaves(n); }
    @RepeatedTest(2) void repeated(RepetitionInfo info) { leaves(6 + info.getCurrentRepetition()); }

    @TestFactory Stream<DynamicNode> dynamic() {
        leaves(20);
        return Stream.of(dynamicTest("a", () -> leaves(30)), dynamicContainer("c", Stream.of(dynamicTest("b", () -> leaves(40)))));
    }

    @Test void timeout() { assertTimeoutPreemptively(Duration.ofSeconds(60), () -> leaves(50)); }
    @Test @Timeout(60) void limited() { leaves(60); }

    @Test void pool() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        pool.submit(() -> leaves(70)).get();
        pool.shutdown();
    }

    @Nested class Inner {
        @Test void within() { leaves(80); }
    }
}
