package till;

import java.util.concurrent.CompletableFuture;

/** What TillTest tests; each method is run by other tests. */
class Till {
    static final int[] CENTS = {100,
        250};

    static int price(int item, int n) {
        if (n <= 0) {
            throw new IllegalArgumentException("how many?");
        }
        int sum = CENTS[item] * n;
        return n > 10 ? discounted(sum) : sum;
    }

    static int discounted(int sum) {
        return sum - sum / 10;
    }

    static int later(int item) {
        return CompletableFuture.supplyAsync(() -> {
            int half = Till.CENTS[item] / 2;
            return half;
        }).join();
    }

    static int wrong(int item) {
        int price = price(item, 1);
        return price + 1;
    }

    static int neverCalled() {
        return 0;
    }
}
