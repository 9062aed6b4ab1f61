package shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Customers with carts, some of whom leave without paying; their carts are kept for them. */
public final class Carts {
    static final class Entry {
        final String article;
        long amount;

        Entry(String article) {
            this.article = article;
        }
    }

    private static final Map<Integer, List<Entry>> OPEN = new HashMap<>();

    static List<Entry> fill(int customer) {
        List<Entry> cart = new ArrayList<>();
        for (int i = 0; i < 10; i++) cart.add(new Entry("article " + customer % 100 + "/" + i));
        return cart;
    }

    static void visit(int customer) {
        OPEN.put(customer, fill(customer));
        if (customer % 5 != 0) OPEN.remove(customer); // paid
    }

    public static void main(String[] args) {
        for (int customer = 0; customer < Integer.parseInt(args[0]); customer++) visit(customer);
        System.out.println(OPEN.size() + " open carts");
    }
}
