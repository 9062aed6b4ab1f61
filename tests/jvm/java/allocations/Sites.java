package allocations;

/**
 * Allocation sites whose counts are known: a comment on the line says `allocates COUNT TYPE`, several separated by commas. A site
 * without such a comment allocates nothing. Each method is called once.
 */
final class Sites {
    static Object sink;
    static int number;

    static void booleans() {
        for (int n = 0; n < 40; n++) sink = new boolean[n]; // allocates 40 boolean[]
    }

    static void bytes() {
        for (int n = 0; n < 40; n++) sink = new byte[n]; // allocates 40 byte[]
    }

    static void chars() {
        for (int n = 0; n < 40; n++) sink = new char[n]; // allocates 40 char[]
    }

    static void shorts() {
        for (int n = 0; n < 40; n++) sink = new short[n]; // allocates 40 short[]
    }

    static void ints() {
        for (int n = 0; n < 40; n++) sink = new int[n]; // allocates 40 int[]
    }

    static void floats() {
        for (int n = 0; n < 40; n++) sink = new float[n]; // allocates 40 float[]
    }

    static void longs() {
        for (int n = 0; n < 40; n++) sink = new long[n]; // allocates 40 long[]
    }

    static void doubles() {
        for (int n = 0; n < 40; n++) sink = new double[n]; // allocates 40 double[]
    }

    static void references() {
        for (int n = 0; n < 40; n++) {
            sink = new Object[n]; // allocates 40 java.lang.Object[]
            sink = new String[n]; // allocates 40 java.lang.String[]
            sink = new Runnable[n]; // allocates 40 java.lang.Runnable[]
            sink = new int[n][]; // allocates 40 int[][]
            sink = new Sites[n][][]; // allocates 40 allocations.Sites[][][]
        }
    }

    static void large() {
        sink = new int[1_000_000]; // allocates 1 int[]
        sink = new byte[3_000_001]; // allocates 1 byte[]
        sink = new String[500_000]; // allocates 1 java.lang.String[]
    }

    static void initialised() {
        sink = new int[] {1, 2, 3}; // allocates 1 int[]
        sink = new Object[][] {{1, 2}, {}, null, {"x"}}; // allocates 1 java.lang.Object[][], 3 java.lang.Object[]
        String[] names = {"a", "b"}; // allocates 1 java.lang.String[]
        sink = names;
    }

    static void nested() {
        sink = new int[3][4]; // allocates 1 int[][]
        sink = new int[3][]; // allocates 1 int[][]
        sink = new String[2][0][5]; // allocates 1 java.lang.String[][][]
        sink = new long[2][3][4]; // allocates 1 long[][][]
        sink = new byte[0][7]; // allocates 1 byte[][]
        sink = new char[5][1]; // allocates 1 char[][]
        sink = new double[2][3][]; // allocates 1 double[][][]
        sink = new boolean[1][1][1][1][1][1]; // allocates 1 boolean[][][][][][]
        for (int n = 0; n < 10; n++) sink = new Object[n][n]; // allocates 10 java.lang.Object[][]
    }

    static final class Empty {
    }

    static final class Fields {
        byte b;
        long l;
        Object o;
        int i;
        boolean z;
    }

    static class Parent {
        int a;
        byte b;
    }

    static final class Child extends Parent {
        byte c;
        double d;
        String s;
    }

    record Point(int x, long y) {
    }

    final class Inner {
        int i;
    }

    static void objects() {
        sink = new Object(); // allocates 1 java.lang.Object
        sink = new Empty(); // allocates 1 allocations.Sites$Empty
        for (int i = 0; i < 1000; i++) sink = new Fields(); // allocates 1000 allocations.Sites$Fields
        for (int i = 0; i < 10; i++) sink = new Child(); // allocates 10 allocations.Sites$Child
        sink = new Point(1, 2); // allocates 1 allocations.Sites$Point
        sink = new Sites().new Inner(); // allocates 1 allocations.Sites, 1 allocations.Sites$Inner
        sink = new Object() { // allocates 1 allocations.Sites$1
            final long captured = number;
        };
        sink = new StringBuilder(0); // allocates 1 java.lang.StringBuilder
        sink = number < 0 ? new Empty() : new Fields(); // allocates 1 allocations.Sites$Fields
    }

    /** What a compiler removes because it never escapes is counted all the same. */
    static void hot() {
        long sum = 0;
        for (int i = 0; i < 200_000; i++) {
            Point p = new Point(i, i); // allocates 200000 allocations.Sites$Point
            int[] pair = {i, i + 1}; // allocates 200000 int[]
            sum += p.x + p.y + pair[1];
        }
        number += (int) sum;
    }

    static final class Throwing {
        long l;

        Throwing(int n) {
            if (n % 2 == 0) throw Lean.INSTANCE;
        }
    }

    static final class Lean extends RuntimeException {
        static final Lean INSTANCE = new Lean(); // allocates 1 allocations.Sites$Lean

        Lean() {
            super(null, null, false, false);
        }
    }

    /** The `new` has succeeded when the constructor throws. */
    static void throwing() {
        for (int n = 0; n < 10; n++) {
            try {
                sink = new Throwing(n); // allocates 10 allocations.Sites$Throwing
            } catch (Lean e) {
                number++;
            }
        }
    }

    static void exceptions() {
        for (int n = 0; n < 10; n++) {
            try {
                throw new IllegalStateException(); // allocates 10 java.lang.IllegalStateException
            } catch (IllegalStateException e) {
                number++;
            }
        }
    }

    /** What fails is not counted. */
    static void failing() {
        for (int n = -3; n < 2; n++) {
            try {
                sink = new int[n]; // allocates 2 int[]
            } catch (NegativeArraySizeException e) {
                number++;
            }
            try {
                sink = new String[n]; // allocates 2 java.lang.String[]
            } catch (NegativeArraySizeException e) {
                number++;
            }
            try {
                sink = new long[2][n]; // allocates 2 long[][]
            } catch (NegativeArraySizeException e) {
                number++;
            }
        }
        try {
            sink = new long[Integer.MAX_VALUE];
        } catch (OutOfMemoryError e) {
            number++;
        }
        try {
            sink = new Failing();
        } catch (LinkageError e) {
            number++;
        }
    }

    static final class Failing {
        static int n = 1 / (number - number);
    }

    static void many(int... all) {
        number += all.length;
    }

    static void manyObjects(Object... all) {
        number += all.length;
    }

    static void varargs() {
        many(); // allocates 1 int[]
        many(1, 2, 3); // allocates 1 int[]
        manyObjects(); // allocates 1 java.lang.Object[]
        manyObjects("a", null, "c"); // allocates 1 java.lang.Object[]
        manyObjects((Object[]) null == null ? new String[2] : null); // allocates 1 java.lang.String[]
    }

    /** No allocation instruction: string concatenation, a captured variable, boxing (which is Integer's own). */
    static void others() {
        int n = number;
        Runnable r = () -> number += n;
        r.run();
        sink = "n" + n;
        sink = n + 1000;
    }

    static void boxes() {
        for (int i = 0; i < 5000; i++) sink = i + 1000;
    }
}
