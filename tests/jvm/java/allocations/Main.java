package allocations;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Without arguments: calls each site once. With `sizes`: prints the bytes that each method allocates, from the JVM's own count for the
 * thread, which does not use JVMTI. That run is interpreted, so that no compiler removes an allocation.
 */
final class Main {
    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    static long measure(Runnable r) {
        r.run();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
            r.run();
            least = Math.min(least, THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before);
        }
        return least;
    }

    static void instances(Class<?> c, int n) {
        try {
            for (int i = 0; i < n; i++) Sites.sink = Holder.UNSAFE.allocateInstance(c);
        } catch (InstantiationException e) {
            throw new AssertionError(e);
        }
    }

    static final class Holder {
        static final sun.misc.Unsafe UNSAFE;

        static {
            try {
                var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
                field.setAccessible(true);
                UNSAFE = (sun.misc.Unsafe) field.get(null);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
    }

    public static void main(String[] args) {
        Map<String, Runnable> sites = new LinkedHashMap<>();
        sites.put("booleans", Sites::booleans);
        sites.put("bytes", Sites::bytes);
        sites.put("chars", Sites::chars);
        sites.put("shorts", Sites::shorts);
        sites.put("ints", Sites::ints);
        sites.put("floats", Sites::floats);
        sites.put("longs", Sites::longs);
        sites.put("doubles", Sites::doubles);
        sites.put("references", Sites::references);
        sites.put("large", Sites::large);
        sites.put("initialised", Sites::initialised);
        sites.put("nested", Sites::nested);
        sites.put("objects", Sites::objects);
        sites.put("hot", Sites::hot);
        sites.put("throwing", Sites::throwing);
        sites.put("exceptions", Sites::exceptions);
        sites.put("failing", Sites::failing);
        sites.put("varargs", Sites::varargs);
        sites.put("others", Sites::others);
        sites.put("boxes", Sites::boxes);
        if (args.length == 0) {
            sites.values().forEach(Runnable::run);
            System.out.println(Sites.number);
            return;
        }
        // methods that allocate more than their sites: in constructors, by the JVM for an error, in methods called
        sites.put("objects", () -> {
            instances(Object.class, 1);
            instances(Sites.Empty.class, 1);
            instances(Sites.Fields.class, 1001);
            instances(Sites.Child.class, 10);
            instances(Sites.Point.class, 1);
            instances(Sites.class, 1);
            instances(Sites.Inner.class, 1);
            instances(anonymous(), 1);
            instances(StringBuilder.class, 1);
        });
        sites.put("exceptions", () -> instances(IllegalStateException.class, 10));
        sites.put("failing", () -> {
            Sites.sink = new int[0];
            Sites.sink = new int[1];
            Sites.sink = new String[0];
            Sites.sink = new String[1];
            Sites.sink = new long[2][0];
            Sites.sink = new long[2][1];
        });
        sites.put("others", () -> { });
        sites.put("boxes", () -> instances(Integer.class, 5000));
        sites.forEach((name, oracle) -> System.out.println("oracle " + name + " " + measure(oracle)));
    }

    static Class<?> anonymous() {
        try {
            return Class.forName("allocations.Sites$1");
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
