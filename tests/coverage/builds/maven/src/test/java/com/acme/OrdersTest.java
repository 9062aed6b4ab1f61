package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class OrdersTest {
    @Test
    void places() {
        assertEquals(50, new Orders(new Store()).place("book", 3));
    }

    @Test
    void refuses() {
        assertThrows(IllegalArgumentException.class, () -> new Orders(new Store()).place("pen", 0));
        assertThrows(IllegalArgumentException.class, () -> new Orders(new Store()).place("ink", 1));
    }
}
