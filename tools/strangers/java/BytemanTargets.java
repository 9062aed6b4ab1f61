import org.jboss.byteman.tests.Test;
import org.jboss.byteman.tests.auxiliary.C1;
import org.jboss.byteman.tests.auxiliary.C2;
import org.jboss.byteman.tests.auxiliary.TestAllAuxiliary;
import org.jboss.byteman.tests.auxiliary.TestCallThrowSynchAuxiliary;
import org.jboss.byteman.tests.auxiliary.TestEntryExitAuxiliarySub;
import org.jboss.byteman.tests.auxiliary.TestExceptionExitAuxiliary;
import org.jboss.byteman.tests.auxiliary.TestLineAuxiliary;
import org.jboss.byteman.tests.auxiliary.TestReadWriteAuxiliary;
import org.jboss.byteman.tests.helpertests.TestCallerMatches;
import org.jboss.byteman.tests.helpertests.TestLinkMap;
import org.jboss.byteman.tests.helpertests.TestStackTrace;
import org.jboss.byteman.tests.location.TestAtNew;
import org.jboss.byteman.tests.misc.TestDowncast;
import org.jboss.byteman.tests.misc.TestInvokeParamBinding;
import org.jboss.byteman.tests.misc.TestParamBinding;
import org.jboss.byteman.tests.misc.TestReturnBinding;
import org.jboss.byteman.tests.misc.TestReturnBindingAssignment;
import org.jboss.byteman.tests.misc.TestThrowBinding;

/** Calls the classes of Byteman's tests as these do, but does not compare what Byteman would log. */
public class BytemanTargets {
    static class Log extends Test {
        Log() {
            super("log");
        }
    }

    interface Action {
        void run() throws Exception;
    }

    public static void main(String[] none) throws Exception {
        Test log = new Log();
        new TestAllAuxiliary(log).testMethod(0);
        new TestAllAuxiliary(log).testMethod2(0);
        for (int kind = 1; kind <= 4; kind++) {
            int number = kind;
            fails(() -> new TestAllAuxiliary(log).testMethod3(number));
        }
        new TestAtNew() {
            @Override
            public void checkOutput(boolean reset) {}
        }.test();
        new TestCallThrowSynchAuxiliary(log).testMethod();
        TestCallThrowSynchAuxiliary throwing = new TestCallThrowSynchAuxiliary(log);
        throwing.counter = 2;
        fails(throwing::testMethod);
        new TestEntryExitAuxiliarySub(log).testMethod();
        new TestExceptionExitAuxiliary(log).testMethod();
        new TestLineAuxiliary(log).testMethod(log);
        TestReadWriteAuxiliary fields = new TestReadWriteAuxiliary(log);
        fields.testMethod();
        fields.testMethod2("hello", 1);
        fields.testMethod3("why aye", 0);
        bindings(log);
        callers();
    }

    static void bindings(Test log) throws Exception {
        new C1().testMethod(log);
        new C2().testMethod(log);
        new TestDowncast() {
            @Override
            public void checkOutput(boolean reset) {}
        }.test();
        new TestInvokeParamBinding().triggerMethod();
        for (int argument = 0; argument < 2; argument++) {
            int number = argument;
            new TestParamBinding().triggerMethod(number);
            new TestReturnBinding().triggerMethod(number);
            new TestReturnBindingAssignment().triggerMethod(number);
            fails(() -> new TestThrowBinding().triggerMethod(number));
        }
    }

    static void callers() {
        new TestCallerMatches() {
            @Override
            public void checkOutput(boolean reset) {}
        }.test();
        new TestLinkMap() {
            @Override
            public void checkOutput(boolean reset) {}
        }.test();
        new TestStackTrace() {
            @Override
            public void checkOutput(boolean reset) {}

            @Override
            public void checkOutputPartial(boolean reset) {}
        }.test();
    }

    static void fails(Action action) {
        try {
            action.run();
        } catch (Exception thrown) {
            return;
        }
        throw new IllegalStateException("an exception was expected");
    }
}
