package shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the shop has. Finds items one after another, or with -Dshop.index=true by an index. */
final class Stock {
    record Item(String name, int cents) {}

    private final List<Item> items = new ArrayList<>();
    private final Map<String, Item> index = new HashMap<>();

    Stock(int size) {
        for (int i = 0; i < size; i++) {
            Item item = new Item("item-" + i, 100 + i);
            items.add(item);
            if (Boolean.getBoolean("shop.index")) index.put(item.name(), item);
        }
    }

    Item find(String name) {
        if (!index.isEmpty()) return index.get(name);
        for (Item item : items) {
            if (normalized(item.name()).equals(normalized(name))) return item;
        }
        return null;
    }

    private static String normalized(String name) {
        return name.trim().toUpperCase();
    }
}
