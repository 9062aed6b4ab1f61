import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Random;
import resources.DerivedClass;
import resources.InterestingVarsClass;
import resources.Main;
import resources.OnMethodTest;
import resources.issues.BTRACE106;
import resources.issues.BTRACE22;
import resources.issues.BTRACE256;
import resources.issues.BTRACE28;
import resources.issues.BTRACE87;

/** Calls the classes that BTrace's scripts are about, with known values: once for each level that it is given. */
public class BTraceTargets {
    static final int CALLS = 20; // of the methods that some scripts sample

    public static void main(String[] levels) throws Exception {
        for (String level : levels) {
            level(Integer.parseInt(level));
            once();
        }
    }

    /** Handlers switch what depends on a level. */
    static void level(int level) {}

    static void once() throws Exception {
        Field written = OnMethodTest.class.getDeclaredField("sField");
        written.setAccessible(true);
        written.setLong(null, 0);
        OnMethodTest one = new OnMethodTest();
        Constructor<OnMethodTest> constructor = OnMethodTest.class.getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        constructor.newInstance("text");
        one.noargs();
        OnMethodTest.noargs$static();
        for (int call = 0; call < CALLS; call++) {
            one.args("a", 2, new String[] {"c"}, new int[] {4, 5});
            one.callTopLevel("top", 7);
        }
        OnMethodTest.args$static("s", 3, new String[] {"d", "e"}, new int[] {6});
        OnMethodTest.callTopLevelStatic("static", 8);
        one.callTopLevel1("one", 9);
        one.exception();
        one.caught();
        fails(RuntimeException.class, one::uncaught);
        one.array(3);
        one.field();
        one.staticField();
        one.newObject();
        one.newArray();
        one.casts();
        one.sync();
        one.syncM();
        one.argsMultiReturn("many", 1, new String[0], new int[0]);
        one.argsTypeMatch(new ArrayList<>());
        fails(UnsatisfiedLinkError.class, () -> one.nativeWithReturn(1, "n", new long[1], new Object[1]));
        fails(UnsatisfiedLinkError.class, () -> one.nativeWithoutReturn(2, "m", new long[2], new Object[2]));
        new DerivedClass().doGet("key", new HashMap<>());
        fails(UnsupportedOperationException.class, () -> InterestingVarsClass.initAndStartApp("x", "y", "z"));
        Main main = new Main();
        call(main, "callA");
        issues();
    }

    static void issues() throws Exception {
        BTRACE106 deprecated = new BTRACE106();
        call(deprecated, "aMethod");
        call(deprecated, "bMethod");
        new BTRACE22().testDouble();
        call(new BTRACE28(), "serveResource", "p", "q");
        call(new BTRACE87(), "containerMethod");
        BTRACE256 slow = new BTRACE256();
        slow.r = new Random() {
            @Override
            public int nextInt(int bound) {
                return 5; // ms that it sleeps
            }
        };
        slow.doStuff();
    }

    static void call(Object target, String name, String... arguments) throws Exception {
        Class<?>[] types = new Class<?>[arguments.length];
        java.util.Arrays.fill(types, String.class);
        Method method = target.getClass().getDeclaredMethod(name, types);
        method.setAccessible(true);
        method.invoke(target, (Object[]) arguments);
    }

    static void fails(Class<? extends Throwable> type, Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            if (type.isInstance(thrown)) return;
            throw thrown;
        }
        throw new AssertionError(type + " was expected");
    }
}
