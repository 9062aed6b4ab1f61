import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.math.BigInteger;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Fills each collection of the JDK with as many elements as the first argument says, and arrays of each type, then says its process id
 * and waits for a line. With a second argument it instead allocates until there is no memory.
 */
public class Heaps {
    record Point(int x, long y, Object held) {}

    enum Colour {
        RED,
        GREEN
    }

    static class Narrow {
        byte a;
        boolean b;
    }

    static class Wide extends Narrow {
        double c;
        char d;
        short e;
        Object f;
    }

    static int count;
    static final List<Object> ALL = new ArrayList<>();

    static Map<Object, Object> filled(Map<Object, Object> map) {
        for (int i = 0; i < count; i++) map.put("key " + i, new Point(i, i, List.of(i)));
        return map;
    }

    static Collection<Object> filled(Collection<Object> some) {
        for (int i = 0; i < count; i++) some.add("element " + i % 500);
        return some;
    }

    public static void main(String[] words) throws Exception {
        count = Integer.parseInt(words[0]);
        for (Map<Object, Object> one : List.<Map<Object, Object>>of(
                new HashMap<>(), new LinkedHashMap<>(), new TreeMap<>(), new ConcurrentHashMap<>(), new WeakHashMap<>(),
                new IdentityHashMap<>(), new Hashtable<>(), new ConcurrentSkipListMap<>())) ALL.add(filled(one));
        for (Collection<Object> one : List.<Collection<Object>>of(
                new ArrayList<>(), new LinkedList<>(), new ArrayDeque<>(), new HashSet<>(), new TreeSet<>(), new PriorityQueue<>(),
                new ConcurrentLinkedQueue<>(), new LinkedBlockingQueue<>(), new CopyOnWriteArrayList<>())) ALL.add(filled(one));
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        for (int i = 0; i < 100; i++) {
            ALL.add(new Object[][] {new boolean[i][], new char[i][i], new float[i][3], {new double[i]}, {new short[i]}, {new long[i]}});
            ALL.add(new Object[] {new SoftReference<>(new byte[i]), new WeakReference<>(new int[i]), new PhantomReference<>("x" + i, queue)});
            ALL.add(new Object[] {new Wide(), new Narrow(), BigInteger.TEN.pow(i), new AtomicLong(i), UUID.randomUUID(), new BitSet(i)});
            int number = i;
            Supplier<Object> later = () -> ALL.get(number);
            ALL.add(later);
            ALL.add(new EnumMap<>(Map.of(Colour.RED, i, Colour.GREEN, later)));
        }
        Object[] nested = null;
        for (int i = 0; i < 10 * count; i++) nested = new Object[] {nested};
        ALL.add(nested);
        CountDownLatch started = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            Object mine = new Point(i, i, new byte[10_000]);
            Thread thread = new Thread(() -> {
                synchronized (mine) {
                    started.countDown();
                    try {
                        Thread.sleep(1_000_000);
                    } catch (InterruptedException end) {
                        System.out.println(mine);
                    }
                }
            }, "holder " + i);
            thread.setDaemon(true);
            thread.start();
        }
        started.await();
        if (words.length > 1) {
            try {
                for (;;) ALL.add(new long[100_000]);
            } catch (OutOfMemoryError full) {
                return;
            }
        }
        System.out.println(ProcessHandle.current().pid());
        System.in.read();
    }
}
