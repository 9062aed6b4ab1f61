package com.acme;

/** Final, so that only an agent can mock it. */
public final class Store {
    public int price(String article) {
        return switch (article) {
            case "pen" -> 2;
            case "book" -> 20;
            default -> throw new IllegalArgumentException(article);
        };
    }

    public boolean has(String article, int quantity) {
        return article.length() > quantity || quantity < 3;
    }
}
