package suite;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.maven.surefire.api.booter.ForkingRunListener;
import org.apache.maven.surefire.api.booter.MasterProcessChannelEncoder;
import org.apache.maven.surefire.api.report.RunMode;
import org.apache.maven.surefire.api.report.SimpleReportEntry;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.RunListener;

/** Runs PlainTest as a provider of Surefire's does, then a test of JUnit, of which the same listener is told. */
public class Provider {
    private static final ForkingRunListener listener = new ForkingRunListener(nobody(), true);

    public static void main(String[] args) {
        for (String name : new String[] {"testOne", "testFails", "testAborts"}) run(name);
        listener.testSkipped(entry("suite.PlainTest", "suite.PlainTest.testSkipped()"));
        JUnitCore core = new JUnitCore();
        core.addListener(
                new RunListener() {
                    public void testStarted(Description it) {
                        listener.testStarting(entry(it.getClassName(), it.getMethodName()));
                    }

                    public void testFinished(Description it) {
                        listener.testSucceeded(entry(it.getClassName(), it.getMethodName()));
                    }
                });
        core.run(Known.class);
    }

    private static void run(String name) {
        SimpleReportEntry entry = entry("suite.PlainTest", "suite.PlainTest." + name + "()");
        listener.testStarting(entry);
        try {
            Method method = PlainTest.class.getMethod(name);
            method.invoke(new PlainTest());
            listener.testSucceeded(entry);
        } catch (NoSuchMethodException e) {
            listener.testAssumptionFailure(entry);
        } catch (ReflectiveOperationException e) {
            listener.testFailed(entry);
        }
    }

    private static SimpleReportEntry entry(String source, String name) {
        return new SimpleReportEntry(RunMode.NORMAL_RUN, 1L, source, null, name, null);
    }

    /** Maven is not there. */
    private static MasterProcessChannelEncoder nobody() {
        Class<?> type = MasterProcessChannelEncoder.class;
        return (MasterProcessChannelEncoder) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> null);
    }

    public static class Known {
        @org.junit.Test
        public void known() {
            PlainTest.leaves(7);
        }
    }
}
