package known;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Default, static and private methods of interfaces; lambdas and method references. */
final class Interfaces {
    interface Shape {
        double area();

        default double twice() { // calls 3
            return secret() * 2;
        }

        private double secret() { // calls 3
            return area();
        }

        static Shape square(double side) { // calls 2
            return () -> side * side; // lambda calls 3
        }
    }

    static final class Circle implements Shape { // <init> calls 1
        @Override
        public double area() { // calls 1
            return 3;
        }

        @Override
        public double twice() { // calls 1
            return Shape.super.twice() + 1;
        }
    }

    static int plus(int a, int b) { // calls 5
        return a + b;
    }

    static int apply(IntBinaryOperator op, int n) { // calls 2
        int sum = 0;
        for (int i = 0; i < n; i++) sum = op.applyAsInt(sum, i);
        return sum;
    }

    String name(int n) { // calls 4
        return "n" + n;
    }

    Interfaces() { // calls 3
    }

    static void run() { // calls 1
        Shape square = Shape.square(3);
        System.out.println("interfaces " + square.twice() + square.area() + Shape.square(2).twice() + new Circle().twice());
        System.out.println(apply(Interfaces::plus, 5) + apply((a, b) -> a * 2 + b, 4)); // lambda calls 4
        Interfaces bound = new Interfaces();
        Function<Integer, String> byObject = bound::name;
        Supplier<Interfaces> constructor = Interfaces::new;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) names.add(byObject.apply(i));
        constructor.get();
        names.add(constructor.get().name(9));
        names.sort((a, b) -> b.compareTo(a)); // lambda calls 3
        names.removeIf(s -> s.endsWith("1")); // lambda calls 4
        names.forEach(System.out::println);
        Supplier<Supplier<String>> nested = () -> () -> "nested"; // lambda calls 2; lambda calls 2
        System.out.println(nested.get().get() + nested.get().get());
    }
}
