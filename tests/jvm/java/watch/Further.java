import java.io.InputStream;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** Objects of many shapes, whose fields conditions name; each is passed to a method so often that it is compiled. */
public class Further {
    enum State {
        NEW,
        PAID {
            public String toString() {
                throw new IllegalStateException("conditions call no methods");
            }
        }
    }

    static class Base {
        int number = 1;
        String text = "base";
        private long hidden = 10;
    }

    static class Sub extends Base {
        String number = "one"; // not the superclass's
        volatile int turning;
        double real = 2.5;
        float narrow = 1.5f;
    }

    static class Kinds {
        boolean z = true;
        byte b = -1;
        char c = 'x';
        short s = 300;
        int i = 1 << 20;
        long l = 1L << 60;
        float f = Float.NaN;
        double d = 0.1;
        volatile long vl = 7;
        volatile String vt = "text";
        String text = "text", none;
        Object any = "text", boxed = 5, wide = 5L, yes = true, letter = 'x', state = State.PAID, itself = this;
        State constant = State.NEW;
        int[] ints = {1, 2};
        Object[] objects = {};
        CharSequence face = "text";
        static int shared = 3;
    }

    record Point(int x, long y, String text) {}

    record Holder(Object any, Object text, Object number) {}

    static class Node {
        Object next, any, size = 9, length = 9;
        Collection<?> list;
        Map<?, ?> map;

        Node(Object next) {
            this.next = next;
        }
    }

    /** Of a class of the same name whose fields `number` and `hidden` have changed their names, and so their types and places. */
    static Object swapped() throws Exception {
        byte[] bytes = bytesOfBase();
        String text = new String(bytes, "ISO-8859-1").replace("number", "______").replace("hidden", "number").replace("______", "hidden");
        ClassLoader loader = new ClassLoader(null) {
            protected Class<?> findClass(String name) {
                byte[] changed = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
                return defineClass(name, changed, 0, changed.length);
            }
        };
        java.lang.reflect.Constructor<?> made = loader.loadClass("Further$Base").getDeclaredConstructor();
        made.setAccessible(true);
        return made.newInstance();
    }

    static byte[] bytesOfBase() throws java.io.IOException {
        try (InputStream file = Further.class.getResourceAsStream("Further$Base.class")) {
            return file.readAllBytes();
        }
    }

    static Object hidden() throws Exception {
        return java.lang.invoke.MethodHandles.lookup().defineHiddenClass(bytesOfBase(), true).lookupClass().getDeclaredConstructor().newInstance();
    }

    Object own;
    static int passed;

    void see(int at, Object o, Node n) {
        passed++;
    }

    Object back(int at, Object o) {
        return o;
    }

    long number(int at, long n) {
        return n;
    }

    static Node with(Collection<?> list, Map<?, ?> map) {
        Node n = new Node(list);
        n.list = list;
        n.map = map;
        n.any = list;
        return n;
    }

    static List<Object> objects() throws Exception {
        String captured = args;
        Supplier<String> lambda = () -> captured;
        Kinds other = new Kinds();
        other.z = false;
        other.l = -1;
        other.f = 2;
        other.d = Double.NaN;
        other.i = 0;
        other.text = "";
        other.any = other.boxed = other.state = other.ints = null;
        other.wide = 5.0;
        other.yes = false;
        other.constant = null;
        other.objects = null;
        other.face = null;
        other.vt = null;
        Kinds third = new Kinds();
        third.l = Long.MIN_VALUE;
        third.any = State.NEW;
        third.boxed = new Kinds();
        third.state = "NEW";
        third.text = null;
        third.f = 1e30f;
        List<Object> found = new ArrayList<>(Arrays.asList(
            new Base(), new Sub(), new Kinds(), other, third, null, "a string", 5, State.NEW, State.PAID, new int[] {3}, new String[] {"a"}, new Point(1, 2, "text"),
            new Point(0, -1, null), new Holder("text", null, 1), new Holder(new Base(), "text", 2L), hidden(), lambda, new Node(new Node(new Sub())), new Object(),
            swapped(), Thread.currentThread(), Further.class, new Object[] {1}));
        return found;
    }

    static String args = "captured";

    static List<Node> nodes() {
        List<Node> found = new ArrayList<>();
        found.add(null);
        found.add(new Node(null));
        found.add(new Node(new Node(new Sub())));
        found.add(with(new ArrayList<>(List.of(1, 2)), new HashMap<>(Map.of(1, 2))));
        found.add(with(new HashSet<>(List.of(1, 2)), new TreeMap<>(Map.of(1, 2, 3, 4))));
        found.add(with(Collections.unmodifiableList(new LinkedList<>(List.of(1, 2))), new ConcurrentHashMap<>(Map.of(1, 2, 3, 4))));
        found.add(with(new TreeSet<>(List.of(1)), Collections.unmodifiableMap(new LinkedHashMap<>(Map.of(1, 2, 3, 4)))));
        found.add(with(new ArrayDeque<>(List.of(1, 2)), Map.of(1, 2)));
        found.add(with(List.of(1, 2), Collections.emptyMap()));
        found.add(with(new LinkedBlockingQueue<>(List.of(1, 2)), new Hashtable<>(Map.of(1, 2, 3, 4))));
        found.add(with(new CopiedList(), null));
        return found;
    }

    static class CopiedList extends ArrayList<String> {
        public int size() {
            throw new IllegalStateException("conditions call no methods");
        }
    }

    public static void main(String[] arguments) throws Exception {
        int times = Integer.parseInt(arguments[0]);
        List<Object> objects = objects();
        List<Node> nodes = nodes();
        Further one = new Further();
        for (int i = 0; i < times; i++) {
            for (int at = 0; at < objects.size(); at++) {
                one.own = objects.get((at + i) % objects.size());
                one.see(at, objects.get(at), nodes.get(at % nodes.size()));
                one.back(at, objects.get(at));
                one.number(at, at);
            }
        }
        System.out.println(passed);
    }
}
