package com.acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OrdersTest {
    @Test
    public void places() {
        assertEquals(50, new Orders().place("book", 3));
    }
}
