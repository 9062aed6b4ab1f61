package com.acme;

import java.util.ArrayList;
import java.util.List;

/** What the tests of the language server complete, explain and find. Their lines are in tests/extensions/servers/unit. */
public class Orders {
    static int limit = 10;

    private final List<Order> all = new ArrayList<>();
    private Order last;

    public Order place(Customer customer, int quantity) {
        Order order = new Order(customer, quantity);
        all.add(order);
        last = order;
        return order;
    }

    public Order place(Customer customer) {
        return place(customer, 1);
    }

    @Deprecated
    public int total() {
        int sum = 0;
        for (Order order : all) {
            int more = order.quantity;
            sum += more;
        }
        return sum;
    }

    void again(int times) {
        again(times - 1);
    }

    static class Order {
        final Customer customer;
        final int quantity;

        Order(Customer customer, int quantity) {
            this.customer = customer;
            this.quantity = quantity;
        }
    }

    interface Shipping {
        void ship(Order order);
    }
}
