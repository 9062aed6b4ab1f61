import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Arrays of value classes (JEP 401), which may be flat, and of others. Without arguments: calls each method once. With `sizes`: prints the bytes that
 * each one allocates, from the JVM's own count for the thread.
 */
public class ValueArrays {
    value record Seven(int x, short y) {} // with the mark for null 7 bytes

    value record Tiny(byte b) {}

    value record Wide(long x, long y) {} // too large to be flat

    record Identity(int x) {}

    static Object sink;

    static void integers() {
        for (int n = 0; n < 40; n++) sink = new Integer[n];
    }

    static void bytes() {
        for (int n = 0; n < 40; n++) sink = new Byte[n];
    }

    static void booleans() {
        for (int n = 0; n < 40; n++) sink = new Boolean[n];
    }

    static void shorts() {
        for (int n = 0; n < 40; n++) sink = new Short[n];
    }

    static void longs() {
        for (int n = 0; n < 40; n++) sink = new Long[n];
    }

    static void numbers() {
        for (int n = 0; n < 40; n++) sink = new Number[n];
    }

    static void dates() {
        for (int n = 0; n < 40; n++) sink = new LocalDate[n];
    }

    static void optionals() {
        for (int n = 0; n < 40; n++) sink = new Optional<?>[n];
    }

    static void own() {
        for (int n = 0; n < 40; n++) {
            sink = new Seven[n];
            sink = new Tiny[n];
            sink = new Wide[n];
            sink = new Identity[n];
        }
    }

    static void others() {
        for (int n = 0; n < 40; n++) {
            sink = new Object[n];
            sink = new int[n];
            sink = new Integer[n][];
        }
    }

    static void nested() {
        for (int n = 0; n < 40; n++) {
            sink = new Integer[3][n];
            sink = new Seven[n][2][n];
        }
    }

    static void taken(Integer... all) {
        sink = all;
    }

    static void varargs() {
        for (int n = 0; n < 40; n++) taken(null, null, null);
    }

    static void objects() {
        for (int n = 0; n < 40; n++) sink = new Identity(n);
    }

    static long measure(Runnable method) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            method.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    public static void main(String[] arguments) {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("integers", ValueArrays::integers);
        all.put("bytes", ValueArrays::bytes);
        all.put("booleans", ValueArrays::booleans);
        all.put("shorts", ValueArrays::shorts);
        all.put("longs", ValueArrays::longs);
        all.put("numbers", ValueArrays::numbers);
        all.put("dates", ValueArrays::dates);
        all.put("optionals", ValueArrays::optionals);
        all.put("own", ValueArrays::own);
        all.put("others", ValueArrays::others);
        all.put("nested", ValueArrays::nested);
        all.put("varargs", ValueArrays::varargs);
        all.put("objects", ValueArrays::objects);
        if (arguments.length == 0)
            all.values().forEach(Runnable::run);
        else
            all.forEach((name, method) -> System.out.println("oracle " + name + " " + measure(method)));
    }
}
