package till;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TillTest {
    @BeforeAll
    static void opens() {
        new Drawer();
    }

    @Test
    @Order(1)
    void few() {
        assertEquals(200, Till.price(0, 2));
    }

    @Test
    @Order(2)
    void fewAgain() {
        assertEquals(500, Till.price(1, 2));
    }

    @Test
    @Order(3)
    void many() {
        assertEquals(1800, Till.price(0, 20));
    }

    @Test
    @Order(4)
    void none() {
        assertThrows(IllegalArgumentException.class, () -> Till.price(0, 0));
    }

    @Test
    @Order(5)
    void inAnotherThread() {
        assertEquals(125, Till.later(1));
    }

    @Test
    @Order(6)
    void fails() {
        assertEquals(100, Till.wrong(0));
    }
}
