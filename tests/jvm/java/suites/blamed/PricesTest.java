package blamed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** `sale` pollutes `tea`, which passes alone; `lowered` fails alone, for it needs `sale`. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class PricesTest {
    @Test
    void before() {
        assertEquals(300, Prices.of("tea"));
    }

    @Test
    void coffee() {
        Prices.KNOWN.put("coffee", 400);
        assertEquals(400, Prices.of("coffee"));
    }

    @Test
    void rounds() {
        assertEquals(0, Prices.rounds());
    }

    @Test
    void sale() {
        Prices.sale(10);
        assertEquals(270, Prices.of("tea"));
    }

    @Test
    void saleIsLowered() {
        assertEquals(90, Prices.reduced(100));
    }

    @Test
    void tea() {
        assertEquals(300, Prices.of("tea"), "tea");
    }

    @Test
    void zero() {
        assertEquals(0, Prices.reduced(0));
    }
}
