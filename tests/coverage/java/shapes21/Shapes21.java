import java.util.List;

/** What Java has from 16 to 21. */
public class Shapes21 {
    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException();
            }
        }

        int sum() {
            return x + y;
        }
    }

    record Line(Point from, Point to) {
    }

    sealed interface Shape permits Circle, Square, Rest {
    }

    record Circle(double radius) implements Shape {
    }

    record Square(double side) implements Shape {
    }

    static final class Rest implements Shape {
    }

    enum Colour { RED, GREEN, BLUE }

    static double area(Shape shape) {
        return switch (shape) {
            case Circle c -> c.radius() * 3;
            case Square s when s.side() > 10 -> 100;
            case Square s -> s.side() * s.side();
            case Rest r -> 0;
        };
    }

    static int value(Colour colour) {
        return switch (colour) {
            case RED -> 1;
            case GREEN -> 2;
            case BLUE -> {
                int x = colour.ordinal();
                yield x + 1;
            }
        };
    }

    static int text(String text) {
        return switch (text) {
            case "a", "b" -> 1;
            case "c" -> 2;
            default -> 3;
        };
    }

    static int deconstruct(Object o) {
        if (o instanceof Line(Point(var a, var b), Point to) && a > 0) {
            return a + b + to.x();
        }
        if (!(o instanceof String s)) {
            return -1;
        }
        return s.length();
    }

    static int byType(Object o) {
        return switch (o) {
            case null -> 0;
            case Integer i when i > 5 -> i;
            case Integer i -> -i;
            case String s -> s.length();
            case Point(int x, int y) -> x * y;
            default -> 9;
        };
    }

    static int patternsAndCatch(Object o) {
        return switch (o) {
            case Point(int a, int b) when a > 3 -> 3;
            case Point(int c, int d) -> c + d;
            default -> {
                try {
                    yield o.hashCode();
                } catch (Throwable t) {
                    yield 3;
                }
            }
        };
    }

    static int old(Colour colour) {
        switch (colour) {
            case RED:
            case GREEN:
                return 1;
            case BLUE:
                return 2;
        }
        return 3;
    }

    public static void main(String[] args) {
        System.out.println(new Point(1, 2).sum() + new Point(3, 4).hashCode() + " " + new Line(new Point(1, 2), new Point(3, 4)));
        System.out.println(area(new Circle(1)) + area(new Square(2)));
        System.out.println(value(Colour.RED) + value(Colour.BLUE) + text("b") + old(Colour.GREEN));
        System.out.println(deconstruct(new Line(new Point(1, 2), new Point(3, 4))) + deconstruct("x"));
        System.out.println(patternsAndCatch(new Point(1, 2)) + patternsAndCatch(5));
        System.out.println(byType(3) + byType("abc") + byType(null) + byType(new Point(2, 3)));
        List.of(1, 2, 3).stream().filter(i -> i > 1).map(i -> i * 2).forEach(System.out::println);
    }
}
