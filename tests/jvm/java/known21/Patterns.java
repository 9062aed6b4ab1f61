package known21;

/** Switches over types and records. How often a component is read is up to javac: here `inside` is read twice. */
final class Patterns {
    sealed interface Shape {
    }

    record Circle(double radius) implements Shape { // <init> calls 3; radius calls 5
    }

    record Box(Shape inside, int times) implements Shape { // <init> calls 4; inside calls 6; times calls 4
    }

    record Bad(int n) implements Shape { // <init> calls 1
        @Override
        public int n() { // calls 1 exceptions 1
            throw new IllegalStateException("accessor");
        }
    }

    static double area(Shape shape) { // calls 9 exceptions 2
        return switch (shape) {
            case Circle(double r) when r < 0 -> throw new IllegalArgumentException("negative");
            case Circle(double r) -> 3 * r * r;
            case Box(Box(var inside, int n), int m) -> area(inside) * n * m;
            case Box(Shape inside, int n) -> n == 0 ? 0 : area(inside) * n;
            case Bad(int n) -> n;
        };
    }

    static String text(Object o) { // calls 6
        return switch (o) {
            case null -> "null";
            case Integer i when i > 10 -> "big";
            case Integer i -> "int" + i;
            case String s -> s;
            case int[] a -> "ints" + a.length;
            default -> "other";
        };
    }

    static void run() { // calls 1
        StringBuilder out = new StringBuilder("patterns");
        for (Object o : new Object[] {null, 5, 50, "text", new int[2], 1L}) out.append(' ').append(text(o));
        Shape circle = new Circle(1);
        Shape[] all = {circle, new Circle(-1), new Circle(2), new Box(circle, 2), new Box(new Box(circle, 3), 5), new Box(circle, 0), new Bad(1)};
        for (Shape shape : all) {
            try {
                out.append(' ').append(area(shape));
            } catch (RuntimeException e) {
                out.append(' ').append(e.getMessage());
            }
        }
        System.out.println(out);
    }
}
