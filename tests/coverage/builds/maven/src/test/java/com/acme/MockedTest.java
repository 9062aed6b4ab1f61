package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;

class MockedTest {
    @Test
    void mocked() {
        Store store = mock(Store.class);
        when(store.has(any(), anyInt())).thenReturn(false);
        assertEquals(-1, new Orders(store).place("book", 1));
    }

    @Test
    void spied() {
        Orders orders = spy(new Orders(new Store()));
        assertEquals("x", orders.describe("x"));
        assertEquals(20, orders.place("book", 1));
    }
}
