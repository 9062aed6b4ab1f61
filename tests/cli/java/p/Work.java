package p;

/** The program whose counts the tests assert: every number below is asserted somewhere. */
public class Work {
    static int add(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += i;
        return sum;
    }

    static byte[] bytes(int n) {
        return new byte[n];
    }

    static void fail() {
        throw new IllegalStateException("on purpose");
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 10; i++) sum += add(100);
        for (int i = 0; i < 5; i++) sum += bytes(100).length;
        for (int i = 0; i < 3; i++) {
            try {
                fail();
            } catch (IllegalStateException e) {
                sum++;
            }
        }
        System.out.println("sum " + sum);
        System.err.println("args " + args.length);
        if (args.length > 0) System.exit(Integer.parseInt(args[0]));
    }
}
