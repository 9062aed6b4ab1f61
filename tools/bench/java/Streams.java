import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A small program with lambdas. */
public class Streams {
    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    public static void main(String[] args) {
        System.out.println(IntStream.range(0, 20).mapToObj(n -> "x" + fibonacci(n)).collect(Collectors.joining(",")).length());
    }
}
