import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps known objects, says `ready PID`, and waits for the end of its input. */
public class Kept {
    static class Node {
        int number;
        long wide;
        Node next;
        byte small;
    }

    static class Sub extends Node {
        short more;
        double real;
        boolean flag;
        String name;
    }

    static class Held {
        final byte[] content = new byte[100_000];
    }

    static final List<Object> ALL = new ArrayList<>();
    static final Map<String, int[]> MAP = new HashMap<>();
    static final Object[][] TABLE = new Object[10][20];
    static final WeakReference<Object> WEAK = new WeakReference<>(TABLE);

    public static void main(String[] args) throws Exception {
        Node previous = null;
        for (int i = 0; i < 3000; i++) {
            Node node = i % 3 == 0 ? new Sub() : new Node();
            node.number = i;
            node.next = previous;
            previous = node;
            if (node instanceof Sub) {
                ((Sub) node).name = new String("again " + i % 30); // ten texts, each a hundred times
            }
            MAP.put("key" + i, new int[i % 13]);
        }
        ALL.add(previous);
        previous = null;
        Held local = new Held();
        System.out.println("ready " + ProcessHandle.current().pid());
        System.in.read();
        System.out.println(local.content.length + ALL.size());
    }
}
