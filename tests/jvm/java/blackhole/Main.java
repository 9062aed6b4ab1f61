import org.openjdk.jmh.infra.Blackhole;

public class Main {
    public static void main(String[] args) {
        for (int i = 0; i < 100_000; i++) Blackhole.consume(Blackhole.twice(i));
        System.out.println("consumed");
    }
}
