package shop;

import java.util.List;
import java.util.function.IntUnaryOperator;

public class Orders {
    static int work(int n) {
        return n + 1;
    }

    static int f$default(int n) {
        return work(n);
    }

    static int place(List<String> names) {
        return names.stream().mapToInt(name -> {
            return work(name.length());
        }).sum();
    }

    public static void main(String[] args) {
        IntUnaryOperator one = n -> work(n);
        IntUnaryOperator two = n -> work(n) + 1;
        System.out.println(place(List.of("a", "bb")) + one.applyAsInt(1) + two.applyAsInt(1) + f$default(1));
    }
}
