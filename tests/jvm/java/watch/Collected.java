import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.*;
import java.util.concurrent.*;

/** Calls with the JDK's collections, and with some of the program's own, whose methods must not run meanwhile. */
public class Collected {
    static class Own extends AbstractList<String> {
        static int called;

        public String get(int i) {
            called++;
            return "own";
        }

        public int size() {
            called++;
            return 7;
        }

        public String toString() {
            called++;
            return "own";
        }
    }

    static class Config {
        static int limit = 3;
        static String[] names = {"a", "b"};
    }

    static class Late {
        static int limit = 3;
    }

    static class Same { // all its objects have one hash, so that a map makes a tree of them
        final int i;

        Same(int i) {
            this.i = i;
        }

        public int hashCode() {
            return "key".hashCode();
        }

        public boolean equals(Object o) {
            return o instanceof Same && ((Same) o).i == i;
        }
    }

    /** `size`, `first` and `value`: what Java says of it, of its first element and of the value for "key". */
    static void list(int i, Object collection, int size, Object first) {}

    static void map(int i, Object collection, int size, Object value, Object ninth) {}

    static List<String> words(int n) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < n; i++) words.add("w" + i);
        return words;
    }

    static void lists() {
        ArrayDeque<String> deque = new ArrayDeque<>(words(5));
        for (int i = 0; i < 20; i++) {
            deque.removeFirst();
            deque.addLast("d" + i); // goes round
        }
        List<Collection<String>> all = List.of(
            words(0), words(3), new LinkedList<>(words(4)), new Vector<>(words(2)), Arrays.asList("w0", "w1"), List.of(), List.of("w0"), List.of("w0", "w1"),
            List.copyOf(words(5)), new CopyOnWriteArrayList<>(words(3)), Collections.unmodifiableList(words(2)), Collections.unmodifiableCollection(words(2)),
            Collections.synchronizedList(words(6)), Collections.emptyList(), Collections.singletonList("w0"), Collections.unmodifiableList(new LinkedList<>(words(2))),
            deque, new PriorityQueue<>(words(3)), new LinkedBlockingQueue<>(words(3)), new ArrayBlockingQueue<>(3, false, words(2)), Set.of(), Set.of("w0"),
            Set.of("w0", "w1"), Set.copyOf(words(5)), new HashSet<>(words(9)), new LinkedHashSet<>(words(8)), new TreeSet<>(words(7)), new Own());
        int i = 0;
        for (Collection<String> one : all) {
            boolean own = one instanceof Own, ordered = one instanceof List || one.getClass().getName().contains("Unmodifiable");
            list(i++, one, own ? -1 : one.size(), own || !ordered || one.isEmpty() ? null : one.iterator().next());
        }
        list(i++, new int[] {5, 6}, 2, null);
        list(i++, new String[] {"w0"}, 1, "w0");
        System.out.println(Own.called);
    }

    static Map<Object, Object> filled(Map<Object, Object> map, int n) {
        for (int i = 0; i < n; i++) map.put("k" + i, "v" + i);
        for (int i = 0; i < n; i++) map.put("key", "found");
        return map;
    }

    static Map<Object, Object> numbered(Map<Object, Object> map) {
        for (int i = 0; i < 40; i++) map.put(i, "n" + i);
        return map;
    }

    /** Null, too, where keys cannot be compared with this one, and where they are no business of conditions. */
    static Object get(Map<Object, Object> map, Object key) {
        try {
            return map instanceof WeakHashMap || map instanceof IdentityHashMap ? null : map.get(key);
        } catch (ClassCastException e) {
            return null;
        }
    }

    static void maps() {
        Map<Object, Object> tree = filled(new HashMap<>(), 3), shared = filled(new ConcurrentHashMap<>(), 3);
        for (int i = 0; i < 50; i++) {
            tree.put(new Same(i), "same");
            shared.put(new Same(i), "same");
        }
        List<Map<Object, Object>> all = new ArrayList<>(List.of(
            new HashMap<>(), filled(new HashMap<>(), 1), filled(new HashMap<>(), 1000), filled(new LinkedHashMap<>(), 5), filled(new Hashtable<>(), 20),
            filled(new ConcurrentHashMap<>(), 100), tree, shared, Map.of(), Map.of("key", "found"), Map.of("other", "x"), Map.copyOf(filled(new HashMap<>(), 30)),
            Collections.unmodifiableMap(filled(new HashMap<>(), 2)), Collections.synchronizedMap(filled(new TreeMap<>(), 2)), Collections.emptyMap(),
            Collections.singletonMap("key", "found"), numbered(new HashMap<>()), numbered(new TreeMap<>()), numbered(new ConcurrentHashMap<>()),
            Map.copyOf(numbered(new HashMap<>())), new WeakHashMap<>(filled(new HashMap<>(), 4)), new IdentityHashMap<>(Map.of("a", "b"))));
        all.add(filled(new TreeMap<>(), 50));
        Map<Object, Object> nullKey = filled(new HashMap<>(), 2);
        nullKey.put(null, "nothing");
        all.add(nullKey);
        int i = 0;
        for (Map<Object, Object> one : all) {
            Object key = get(one, "key"), ninth = get(one, 9);
            map(i++, one, one.size(), key, ninth);
        }
        System.out.println(i);
    }

    static int thrown(int i) throws IOException {
        if (i == 1) throw new FileNotFoundException("no file x");
        if (i == 2) throw new IOException("disk is full");
        if (i == 3) throw new IllegalStateException((String) null);
        return i;
    }

    static void text(int i, String s, Object o) {}

    static void others() throws Exception {
        String[] texts = {"SELECT * FROM a", "SELECT", "select", "SELECT a FROM b", null, "", "a*b", "x\ud83d\ude00y", "aXbXc", "z".repeat(3000) + "!"};
        Config.limit = 3;
        for (int i = 0; i < texts.length; i++) text(i, texts[i], i % 2 == 0 ? texts[i] : (Object) i);
        for (int i = 0; i < 4; i++) {
            try {
                thrown(i);
            } catch (IOException | IllegalStateException e) {
            }
        }
        Thread worker = new Thread(() -> text(100, "in a thread", null), "worker-7");
        worker.start();
        worker.join();
        Config.limit = 5;
        text(101, "later", Config.names);
    }

    public static void main(String[] arguments) throws Exception {
        lists();
        maps();
        others();
    }
}
