package known;

/** Jumps: back to the first instruction, to a return; returns of each type; locals of two slots; many locals. */
final class Flow {
    static int spin(int n) { // calls 3
        while (n > 0) n--;
        return n;
    }

    static void spinVoid(int n) { // calls 3
        while (n-- > 0);
    }

    static int untilReturn(int n) { // calls 3
        for (;;) {
            if (--n < 0) return n;
        }
    }

    static long doWhile(long n) { // calls 3
        do n -= 2; while (n > 0);
        return n;
    }

    /** Entered once, its first instruction runs 20,000 times: compiled while it runs. */
    static int longLoop(int n) { // calls 2
        while (n != 0) n -= Integer.signum(n);
        return n;
    }

    static void jumpsToReturn(int n) { // calls 10
        if (n > 5) {
            if (n > 7) return;
            sink++;
        } else {
            sink--;
        }
    }

    static boolean toReturnValue(int n, Object o) { // calls 10
        return n > 3 && n < 8 || o == null;
    }

    static String ternaries(int n) { // calls 10
        return n < 3 ? "a" : n < 6 ? "b" : n < 8 ? "c" : "d";
    }

    static int labelled(int n) { // calls 10
        int k = 0;
        outer:
        for (int i = 0; ; i++) {
            for (int j = 0; j < 4; j++) {
                if (i * j > n) break outer;
                if (j > i) continue outer;
                k++;
            }
        }
        return k;
    }

    static void empty() { // calls 4
    }

    static int sink;

    static double wide(double a, long b, float c, double d) { // calls 2
        long l = b * 2;
        double e = a + d;
        return e + l + c;
    }

    static long returnsLong(long a) { // calls 2
        return -a;
    }

    static float returnsFloat(float a) { // calls 2
        return -a;
    }

    static Object returnsObject(Object a) { // calls 2
        return a;
    }

    static byte narrow(byte b, short s, char c, boolean z) { // calls 1
        return (byte) (b + s + c + (z ? 1 : 0));
    }

    static int sum(int... all) { // calls 3
        int s = 0;
        for (int a : all) s += a;
        return s;
    }

    static String format(String format, Object... args) { // calls 2
        return String.format(format, args);
    }

    static double earlyOut(double[] values) { // calls 3
        if (values == null) return 0;
        if (values.length == 0) return 1;
        double d = 0;
        for (double v : values) {
            if (v < 0) return v;
            d += v;
        }
        return d;
    }

    /** More than 255 local slots: the inserted local needs the wide form. */
    static long manyLocals(long n) { // calls 3 exceptions 1
        long a0 = n, a1 = a0 + 1, a2 = a1 + 1, a3 = a2 + 1, a4 = a3 + 1, a5 = a4 + 1, a6 = a5 + 1, a7 = a6 + 1, a8 = a7 + 1, a9 = a8 + 1;
        long b0 = n, b1 = b0 + 1, b2 = b1 + 1, b3 = b2 + 1, b4 = b3 + 1, b5 = b4 + 1, b6 = b5 + 1, b7 = b6 + 1, b8 = b7 + 1, b9 = b8 + 1;
        long c0 = n, c1 = c0 + 1, c2 = c1 + 1, c3 = c2 + 1, c4 = c3 + 1, c5 = c4 + 1, c6 = c5 + 1, c7 = c6 + 1, c8 = c7 + 1, c9 = c8 + 1;
        long d0 = n, d1 = d0 + 1, d2 = d1 + 1, d3 = d2 + 1, d4 = d3 + 1, d5 = d4 + 1, d6 = d5 + 1, d7 = d6 + 1, d8 = d7 + 1, d9 = d8 + 1;
        long e0 = n, e1 = e0 + 1, e2 = e1 + 1, e3 = e2 + 1, e4 = e3 + 1, e5 = e4 + 1, e6 = e5 + 1, e7 = e6 + 1, e8 = e7 + 1, e9 = e8 + 1;
        long f0 = n, f1 = f0 + 1, f2 = f1 + 1, f3 = f2 + 1, f4 = f3 + 1, f5 = f4 + 1, f6 = f5 + 1, f7 = f6 + 1, f8 = f7 + 1, f9 = f8 + 1;
        long g0 = n, g1 = g0 + 1, g2 = g1 + 1, g3 = g2 + 1, g4 = g3 + 1, g5 = g4 + 1, g6 = g5 + 1, g7 = g6 + 1, g8 = g7 + 1, g9 = g8 + 1;
        long h0 = n, h1 = h0 + 1, h2 = h1 + 1, h3 = h2 + 1, h4 = h3 + 1, h5 = h4 + 1, h6 = h5 + 1, h7 = h6 + 1, h8 = h7 + 1, h9 = h8 + 1;
        long i0 = n, i1 = i0 + 1, i2 = i1 + 1, i3 = i2 + 1, i4 = i3 + 1, i5 = i4 + 1, i6 = i5 + 1, i7 = i6 + 1, i8 = i7 + 1, i9 = i8 + 1;
        long j0 = n, j1 = j0 + 1, j2 = j1 + 1, j3 = j2 + 1, j4 = j3 + 1, j5 = j4 + 1, j6 = j5 + 1, j7 = j6 + 1, j8 = j7 + 1, j9 = j8 + 1;
        long k0 = n, k1 = k0 + 1, k2 = k1 + 1, k3 = k2 + 1, k4 = k3 + 1, k5 = k4 + 1, k6 = k5 + 1, k7 = k6 + 1, k8 = k7 + 1, k9 = k8 + 1;
        long l0 = n, l1 = l0 + 1, l2 = l1 + 1, l3 = l2 + 1, l4 = l3 + 1, l5 = l4 + 1, l6 = l5 + 1, l7 = l6 + 1, l8 = l7 + 1, l9 = l8 + 1;
        long m0 = n, m1 = m0 + 1, m2 = m1 + 1, m3 = m2 + 1, m4 = m3 + 1, m5 = m4 + 1, m6 = m5 + 1, m7 = m6 + 1, m8 = m7 + 1, m9 = m8 + 1;
        try {
            if (n == 2) throw new IllegalStateException("many");
            if (n == 1) return m9 + l9;
        } finally {
            sink += (int) (a9 + b9 + c9 + d9 + e9 + f9 + g9 + h9 + i9 + j9 + k9);
        }
        return l0 + m0;
    }

    static void run() { // calls 1
        long s = 0;
        for (int n = 0; n < 3; n++) {
            s += spin(n) + untilReturn(n) + doWhile(n);
            spinVoid(n);
            try {
                s += manyLocals(n);
            } catch (IllegalStateException e) {
                s += 5;
            }
        }
        s += longLoop(20000) + longLoop(-20000);
        for (int n = 0; n < 10; n++) {
            jumpsToReturn(n);
            s += toReturnValue(n, n == 9 ? null : "") ? 1 : 2;
            s += ternaries(n).charAt(0) + labelled(n);
        }
        for (int n = 0; n < 4; n++) empty();
        System.out.println("flow " + s + " " + sink + wide(1, 2, 3, 4) + wide(.5, 1L << 40, 0, -1));
        System.out.println(returnsLong(1) + returnsLong(1L << 60) + returnsFloat(1) + returnsFloat(2));
        System.out.println("" + returnsObject(null) + returnsObject("o") + narrow((byte) 1, (short) 2, 'c', true));
        System.out.println(sum() + sum(1) + sum(1, 2, 3) + format("%s", "x") + format("none"));
        System.out.println(earlyOut(null) + earlyOut(new double[0]) + earlyOut(new double[] {1, -2, 3}));
    }
}
