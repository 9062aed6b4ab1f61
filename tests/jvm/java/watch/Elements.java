import java.util.*;
import java.util.concurrent.*;

/** Orders with items, for conditions on elements. */
public class Elements {
    static class Item {
        final int price;
        final String name;
        final List<String> tags;

        Item(int price, String name, String... tags) {
            this.price = price;
            this.name = name;
            this.tags = Arrays.asList(tags);
        }
    }

    static class Special extends Item {
        final long it = 5;

        Special(int price) {
            super(price, "special");
        }
    }

    static class Order {
        final Collection<Item> items;
        final Item[] array;
        int[] codes = {};
        double[] rates = {0.5, 2};
        Map<String, Item> byName = new HashMap<>();

        Order(Collection<Item> items) {
            this.items = items;
            this.array = items == null ? null : items.toArray(new Item[0]);
            if (items == null) return;
            for (Item item : items) if (item != null) byName.put(item.name, item);
            codes = items.stream().mapToInt(item -> item == null ? -1 : item.price).toArray();
        }
    }

    static List<Item> priced(int... prices) {
        List<Item> items = new ArrayList<>();
        for (int price : prices) items.add(new Item(price, "n" + price, "t" + price, "all"));
        return items;
    }

    static Collection<Item> place(int i, Order order) {
        Collection<Item> items = order.items;
        return items; // the line
    }

    static List<Item> many(int n, int last) {
        int[] prices = new int[n];
        Arrays.fill(prices, 200);
        prices[n - 1] = last;
        return priced(prices);
    }

    public static void main(String[] arguments) {
        List<Item> withNull = priced(50, 150);
        withNull.add(null);
        List<Collection<Item>> all = Arrays.asList(
            priced(50, 150), new LinkedList<>(priced(150, 200)), arguments.length > 0 ? new ConcurrentLinkedQueue<>(priced(150)) : new ArrayDeque<>(priced(150)), null, priced(), withNull, many(1000, 201), many(1001, 50),
            many(1001, 200), new HashSet<>(priced(10, 20)), Collections.unmodifiableList(List.of(new Special(300))));
        for (int i = 0; i < all.size(); i++) place(i, new Order(all.get(i)));
    }
}
