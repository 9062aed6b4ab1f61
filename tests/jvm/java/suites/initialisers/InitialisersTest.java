package suite;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Two tests need a class whose static initialiser takes long. */
@TestMethodOrder(MethodOrderer.MethodName.class)
class InitialisersTest {
    static class Outer {
        static int value;
        static {
            pause();
            value = Inner.value;
        }
    }

    static class Inner {
        static int value = 1;
        static { pause(); }
    }

    static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void leaf() { }

    @Test void first() { leaf(); Outer.value++; }
    @Test void second() { leaf(); Outer.value++; }
}
