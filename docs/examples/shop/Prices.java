package shop;

import java.util.ArrayList;
import java.util.List;

/** Prices with discounts, which are asked for again for each order. */
final class Prices {
    String of(Stock.Item item) {
        int cents = item.cents();
        for (int percent : discounts()) cents -= cents * percent / 100;
        return String.format("%d.%02d", cents / 100, cents % 100);
    }

    /** As if from another service: takes 2 ms, and sometimes 20. */
    private List<Integer> discounts() {
        List<Integer> found = new ArrayList<>();
        try {
            Thread.sleep(System.nanoTime() % 10 == 0 ? 20 : 2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (int i = 0; i < 5; i++) found.add(i);
        return found;
    }
}
