package shop;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite of docs/questions/tests.md. */
class StockTest {
    static Stock stock;

    @BeforeAll static void fill() {
        stock = new Stock(20_000);
    }

    @Test void anItemIsFound() {
        assertNotNull(stock.find("item-7"));
    }

    @Test void smallStocks() {
        for (int i = 0; i < 300; i++) assertNotNull(new Stock(500).find("item-" + i));
    }

    @ParameterizedTest @ValueSource(ints = {1, 20}) void discounts(int orders) {
        for (int i = 0; i < orders; i++) assertEquals("9.05", new Prices().of(new Stock.Item("x", 1000)));
    }

    @Test void whatThereIsNot() {
        assertNotNull(stock.find("item-20000"), "no such item");
    }
}
