/** 3,000 tests of one method: which of them run which line is arithmetic. */
public class Orders {
    static int sum;

    static void test(String name, int number) {
        if (number % 2 == 0)
            sum += 2;
        if (number % 1000 == 7)
            sum += 7;
        if (number == 2999)
            sum += 2999;
    }

    public static void main(String[] args) {
        for (int number = 0; number < 3000; number++)
            test("OrdersTest.number" + number, number);
    }
}
