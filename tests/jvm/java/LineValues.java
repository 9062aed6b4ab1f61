import java.util.*;
/** A loop whose local variables are known. */
public class LineValues {
    static class Item { int cents; String name; Item(int c, String n) { cents = c; name = n; } }
    static long sum(List<Item> items) {
        long total = 0;
        for (Item item : items) {
            int cents = item.cents;
            char kind = item.name.charAt(0);
            total += cents;
        }
        return total;
    }
    public static void main(String[] a) {
        for (int k = 0; k < 3; k++) sum(List.of(new Item(5, "ab"), new Item(7, "b"), new Item(100 + k, "b")));
    }
}
