package suite;

import java.io.PrintStream;
import java.lang.reflect.Proxy;
import org.gradle.api.internal.tasks.testing.DefaultTestClassDescriptor;
import org.gradle.api.internal.tasks.testing.DefaultTestMethodDescriptor;
import org.gradle.api.internal.tasks.testing.DefaultTestSuiteDescriptor;
import org.gradle.api.internal.tasks.testing.SuiteTestClassProcessor;
import org.gradle.api.internal.tasks.testing.TestClassProcessor;
import org.gradle.api.internal.tasks.testing.TestClassRunInfo;
import org.gradle.api.internal.tasks.testing.TestCompleteEvent;
import org.gradle.api.internal.tasks.testing.TestResultProcessor;
import org.gradle.api.internal.tasks.testing.TestStartEvent;
import org.gradle.api.tasks.testing.TestResult.ResultType;
import org.gradle.internal.id.CompositeIdGenerator;
import org.gradle.internal.id.IdGenerator;
import org.gradle.internal.id.LongIdGenerator;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.RunListener;

/** A JVM of Gradle's that runs tests of a framework of its own, and one of JUnit, of which the same processor is told. */
public class Worker {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    public static void main(String[] args) {
        PrintStream err = System.err; // Gradle takes it
        try {
            run();
        } catch (Throwable thrown) {
            thrown.printStackTrace(err);
        }
    }

    private static void run() {
        Class<?> type = TestResultProcessor.class;
        TestResultProcessor nobody =
                (TestResultProcessor) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> null);
        IdGenerator<Object> ids = new CompositeIdGenerator(2L, new LongIdGenerator());
        SuiteTestClassProcessor suite =
                new SuiteTestClassProcessor(new DefaultTestSuiteDescriptor(ids.generateId(), "all"), new Framework(ids), () -> 1L);
        suite.startProcessing(nobody);
        TestClassRunInfo info = () -> "suite.Mine";
        suite.processTestClass(info);
        suite.stop();
    }

    static class Framework implements TestClassProcessor {
        private final IdGenerator<Object> ids;
        private TestResultProcessor to;

        Framework(IdGenerator<Object> ids) {
            this.ids = ids;
        }

        public void startProcessing(TestResultProcessor to) {
            this.to = to;
        }

        public void processTestClass(TestClassRunInfo info) {
            Object id = ids.generateId();
            to.started(new DefaultTestClassDescriptor(id, info.getTestClassName()), new TestStartEvent(1));
            leaves(1000);
            test("one", 11, false, new TestCompleteEvent(2));
            test("fails", 13, true, new TestCompleteEvent(2));
            test("skipped", 0, false, new TestCompleteEvent(2, ResultType.SKIPPED));
            to.completed(id, new TestCompleteEvent(2));
            JUnitCore core = new JUnitCore();
            core.addListener(
                    new RunListener() {
                        private Object id;

                        public void testStarted(Description it) {
                            id = begin(it.getClassName(), it.getMethodName());
                        }

                        public void testFinished(Description it) {
                            to.completed(id, new TestCompleteEvent(2));
                        }
                    });
            core.run(Known.class);
        }

        public void stopNow() {} // of newer releases

        private Object begin(String className, String name) {
            Object id = ids.generateId();
            to.started(new DefaultTestMethodDescriptor(id, className, name), new TestStartEvent(1));
            return id;
        }

        private void test(String name, int n, boolean fails, TestCompleteEvent end) {
            Object id = begin("suite.Mine", name);
            leaves(n);
            if (fails) to.failure(id, new IllegalStateException("no"));
            to.completed(id, end);
        }

        public void stop() {}
    }

    public static class Known {
        @org.junit.Test
        public void known() {
            leaves(7);
        }
    }
}
