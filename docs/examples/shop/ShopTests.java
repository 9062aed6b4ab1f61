package shop;

import java.lang.reflect.Method;

/** The shop's tests. A test is a method whose name begins with `test`. */
public final class ShopTests {
    void testAnItemIsFound() {
        for (int i = 0; i < 200; i++) check(new Stock(500).find("item-" + i) != null);
    }

    void testWhatThereIsNotIsNotFound() {
        check(new Stock(500).find("item-500") == null);
    }

    void testPricesHaveDiscounts() {
        for (int i = 0; i < 20; i++) check(new Prices().of(new Stock.Item("x", 1000)).equals("9.05"));
    }

    void testAnOrderThatCannotBe() {
        try {
            new Shop().order(-1);
        } catch (IllegalArgumentException expected) {
            return;
        }
        throw new AssertionError();
    }

    static void check(boolean holds) {
        if (!holds) throw new AssertionError();
    }

    public static void main(String[] args) throws Exception {
        int tests = 0;
        for (Method method : ShopTests.class.getDeclaredMethods()) {
            if (!method.getName().startsWith("test")) continue;
            method.invoke(new ShopTests());
            tests++;
        }
        System.out.println(tests + " tests passed");
    }
}
