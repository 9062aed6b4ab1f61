import java.util.ArrayList;
import java.util.List;

/** A heap whose content is known; threads that have it in their frames. */
public class Heap {
    static class Node {
        final int number;
        Node next;
        final byte[] bytes = new byte[16];

        Node(int number, Node next) {
            this.number = number;
            this.next = next;
        }
    }

    static final int COUNT = 1234;
    static Node head;
    static final List<Object[]> ARRAYS = new ArrayList<>();

    static void ready(Object local) {}

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < COUNT; i++) head = new Node(i, head);
        for (int i = 0; i < 10; i++) ARRAYS.add(new Node[] {head, null});
        Node local = new Node(-1, null);
        ready(local);
        System.out.println("java " + local.number);
    }
}
