/** Orders whose fields hold value objects, which the JVM keeps in the fields themselves (JEP 401): a call for each of 100 numbers, 1000 times. */
public class Flat {
    static value class Point {
        int x, y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    static class Order {
        Integer number;
        Point point;
        Long large;
        Object any;

        Order(int i) {
            number = i;
            point = i % 2 == 0 ? new Point(i, -i) : null;
            large = (long) i;
            any = i;
        }
    }

    static int work(Order order) {
        return order.number;
    }

    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0; i < 100_000; i++) sum += work(new Order(i % 100));
        System.out.println(sum);
    }
}
