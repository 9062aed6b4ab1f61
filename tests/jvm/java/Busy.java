/** A method that takes some time in its first calls, and hardly any in later ones. */
public class Busy {
    static volatile double sink;

    static void work(int rounds) {
        double sum = 0;
        for (int i = 1; i < rounds; i++) sum += Math.sqrt(i + sink);
        sink = sum % 2;
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]), slow = args.length > 1 ? Integer.parseInt(args[1]) : 300;
        for (int i = 0; i < n; i++) work(i < slow ? 20_000 : 10);
        System.out.println(sink >= 0);
    }
}
