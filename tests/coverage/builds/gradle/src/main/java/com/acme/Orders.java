package com.acme;

public class Orders {
    public int place(String article, int quantity) {
        if (quantity <= 0) throw new IllegalArgumentException("quantity");
        int sum = 0;
        for (int i = 0; i < quantity; i++) {
            switch (article) {
                case "pen":
                    sum += 2;
                    break;
                default:
                    sum += i < 2 ? 20 : 10;
            }
        }
        return sum;
    }
}
