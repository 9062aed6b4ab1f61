import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

/** Calls all public methods of the tracker with arguments that no probe passes, and its own methods in between. */
final class Arguments {
    static final List<Integer> INTS = List.of(0, 1, 2, 3, 5, 7, 8, 63, 64, 65, 4096, 1 << 17, 1 << 22, (1 << 23) - 1, 1 << 23, 1 << 30, 0x7FFF0000, Integer.MAX_VALUE, -1,
            -2, -65536, -2_000_000_000, Integer.MIN_VALUE);
    static final Object[] OBJECTS = {null, "text", new int[0], new int[3], new Object[2][2], new Object[][] {null}, new int[1][1][1], new Object()};

    static final Object[][] ARRAYS = {null, {}, {null, "text"}, {1, 2L, 'x', new int[3], null, "more than any method has"}};

    /** The values to try for a parameter. */
    static Object[] values(Class<?> type) {
        return type == int.class ? INTS.toArray()
                : type == long.class ? new Object[] {0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE}
                : type == float.class ? new Object[] {0f, Float.NaN}
                : type == double.class ? new Object[] {0.0, Double.NaN}
                : type == boolean.class ? new Object[] {true, false}
                : type == char.class ? new Object[] {'x', '\uffff'}
                : type == byte.class ? new Object[] {(byte) 1, (byte) -128}
                : type == short.class ? new Object[] {(short) 1, (short) -32768}
                : type == Object[].class ? Arrays.stream(ARRAYS).map(one -> one == null ? null : one.clone()).toArray() // the tracker writes into them
                : Arrays.stream(OBJECTS).filter(one -> one == null || type.isInstance(one)).toArray();
    }

    /** Each value of each parameter, beside some of the others'. */
    static void callWithMany(Method method, Class<?>[] types) throws IllegalAccessException {
        for (int i = 0; i < 64; i++) {
            Object[] arguments = new Object[types.length];
            for (int p = 0; p < types.length; p++) {
                Object[] values = values(types[p]);
                arguments[p] = values[(i * (2 * p + 1) + p) % values.length];
            }
            call(method, arguments);
        }
    }

    static int called(int n) {
        return n == 0 ? new int[n].length : called(n - 1) + 1;
    }

    static void call(Method method, Object... arguments) throws IllegalAccessException {
        try {
            method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
            tell(method, e.getCause());
        } catch (IllegalArgumentException e) { // since the tracker's frames are hidden, reflection takes its ClassCastException for one of its own
            tell(method, e);
        }
    }

    /** An array that is not what the tracker made may be refused. */
    static void tell(Method method, Throwable thrown) {
        boolean refused = thrown instanceof ArrayIndexOutOfBoundsException || thrown instanceof ClassCastException || thrown instanceof IllegalArgumentException;
        if (!refused || !Arrays.asList(method.getParameterTypes()).contains(Object[].class)) System.out.println(method + ": " + thrown);
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]), done = 0;
        for (int round = 0; round < rounds; round++)
            for (Method method : Class.forName("java.lang.ClasshookTracker").getMethods()) {
                if (method.getDeclaringClass() == Object.class || !Modifier.isStatic(method.getModifiers())) continue; // nobody has an object of this class
                Class<?>[] types = method.getParameterTypes();
                if (List.of("array", "delay").contains(method.getName())) continue; // they make the array, or sleep as long, as they are asked to, as the program may, too
                boolean few = types.length == 1 && types[0] == int.class || types.length == 2 && types[1] == int.class && (types[0] == int.class || types[0] == Object.class);
                if (!few) callWithMany(method, types);
                else for (int a : INTS) {
                    if (types.length == 1) call(method, a);
                    else if (types[0] == int.class) for (int b : INTS) call(method, a, b);
                    else for (Object b : OBJECTS) call(method, b, a);
                }
                done += called(10);
            }
        System.out.println(done > 0);
    }
}
