package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

class ShopTest {
    @Test
    void wired() {
        try (var context = new AnnotationConfigApplicationContext(Shop.class)) {
            assertEquals(2, context.getBean(Orders.class).place("pen", 1));
        }
    }
}
