/** Lists that are made while they are walked, so that no more than an element is in use. */
public class Lazy {
    static final class Node {
        final long number;
        Node next;

        Node(long number) {
            this.number = number;
        }

        long last(int n) {
            Node at = this.next();
            return n == 0 ? number : walk(at, n - 1);
        }

        Node next() {
            if (next == null) next = new Node(number + 1);
            return next;
        }
    }

    static long walk(Node at, int n) {
        for (int i = 0; i < n; i++) at = at.next();
        return at.number;
    }

    static Object[] arrays(Object[] at, int n) {
        for (int i = 0; i < n; i++) {
            if (at[0] == null) at[0] = new Object[2];
            at = (Object[]) at[0];
        }
        return at;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        System.out.println(walk(new Node(0), n) + " " + arrays(new Object[2], n).length);
        Node kept = new Node(7);
        System.out.println(walk(kept, 3) + " " + new Node(1).last(3) + " " + kept.number);
    }
}
