package blamed;

import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;

/** Prices in cents, and a discount that all of the program shares. */
final class Prices {
    static int discount;
    static final Map<String, Integer> KNOWN = new TreeMap<>(Map.of("tea", 300));

    static int of(String item) {
        Integer cents = KNOWN.get(item);
        if (cents == null) throw new NoSuchElementException("no price: " + item);
        return discount == 0 ? cents : reduced(cents);
    }

    static int reduced(int cents) {
        return cents - cents * discount / 100;
    }

    static void sale(int percent) {
        discount = percent;
    }

    static int rounds() {
        int sum = 0;
        for (int i = 0; i < Integer.getInteger("rounds", 3); i++) sum += round(i);
        return sum;
    }

    private static int round(int i) {
        return i / 10;
    }
}
