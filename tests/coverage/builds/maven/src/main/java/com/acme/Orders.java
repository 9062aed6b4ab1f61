package com.acme;

import java.util.ArrayList;
import java.util.List;

public class Orders {
    private final Store store;
    private final List<String> placed = new ArrayList<>();

    public Orders(Store store) {
        this.store = store;
    }

    public int place(String article, int quantity) {
        if (quantity <= 0) throw new IllegalArgumentException("quantity");
        if (!store.has(article, quantity)) return -1;
        synchronized (placed) {
            placed.add(article);
        }
        int sum = 0;
        for (int i = 0; i < quantity; i++) {
            sum += i < 2 ? store.price(article) : store.price(article) / 2;
        }
        return sum;
    }

    public String describe(Object what) {
        try {
            return what instanceof String text && !text.isEmpty() ? text : what.toString();
        } finally {
            placed.clear();
        }
    }
}
