import java.lang.annotation.*;
import java.util.*;
import java.util.function.*;

/** Features of newer class files: records, sealed types, nests, lambdas, string concatenation, interfaces with all kinds of methods. */
public class Modern {
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Odd {
        String[] value() default {};
    }

    sealed interface Shape permits Circle, Square {
        int area(); // abstract

        default int twice() { return both(this) + extra(); } // calls 7
        private int extra() { return 1; } // calls 7
        static int both(Shape s) { return s.area() * 2; } // calls 7
    }

    record Circle(int r) implements Shape {
        Circle { // calls 4 exceptions 1
            if (r == 6) throw new IllegalArgumentException("six");
        }

        public int area() { return 3 * r * r; } // calls 3
    }

    record Square(int a, List<@Odd String> names) implements Shape {
        public int area() { return a * a; } // calls 4
    }

    class Inner {
        private int hidden = 4;

        class Innermost {
            int all() { return hidden++ + secret; } // calls 7
        }
    }

    private int secret = 3;

    private static <@Odd T extends @Odd({"a", "b"}) Object>
    int annotated(T t, int n) throws Exception { // calls 7
        @Odd({"local"}) long sum = n;
        for (@Odd int i = 0; i < 3; i++) {
            @Odd Object o = (@Odd("cast") Object) new @Odd ArrayList<@Odd String>();
            if (o instanceof @Odd List<?> list) sum += list.size() + i;
            Supplier<@Odd Object> made = @Odd Object::new;
            sum += made.get() == null ? 1 : 0;
        }
        try (@Odd AutoCloseable c = () -> { }) {
            if (n == 3) throw new @Odd Exception("three");
        } catch (@Odd final IllegalStateException | @Odd IllegalArgumentException e) {
            sum++;
        } catch (@Odd Exception e) {
            sum += 2;
        }
        return (int) sum;
    }

    public static String run(int n) throws Exception { // calls 8 exceptions 1
        Shape s = n % 2 == 0 ? new Circle(n) : new Square(n, List.of());
        IntUnaryOperator plus = i -> i + n;
        Modern m = new Modern();
        String text = s + " " + s.hashCode() + s.equals(n) + annotated(s, n) + " " + s.twice() + " " + plus.applyAsInt(5) + m.new Inner().new Innermost().all();
        return text;
    }
}
