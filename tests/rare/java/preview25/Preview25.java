/** A class of a preview version (minor_version 65535), with patterns of primitive types and code before super(). */
public class Preview25 {
    static class Base {
        final int n;

        Base(int n) { this.n = n; } // calls 7
    }

    static class Sub extends Base {
        final int m;

        Sub(int n) { // calls 8 completed 7
            if (n == 3) throw new IllegalArgumentException("three");
            m = n * 2;
            for (int i = 0; i < 2; i++) n += i;
            super(n);
        }
    }

    public static String run(int n) { // calls 8 exceptions 1
        Sub s = new Sub(n);
        return kind(s.n + s.m) + kind(300 * n);
    }

    static String kind(int i) { // calls 14
        return switch (i) {
            case byte b -> "byte " + b;
            case short s -> "short " + s;
            case int j -> "int " + j;
        };
    }
}
