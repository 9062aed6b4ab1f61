/** Calls native methods of all kinds, and says whether their results are right. */
public class Natives {
    static native void nothing();

    static native boolean flag(boolean b);

    static native byte small(byte b);

    static native char letter(char c);

    static native short brief(short s);

    static native int number(int i);

    static native long wide(long j);

    static native float real(float f);

    static native double precise(double d);

    static native String text(String s);

    static native String many(int i, long j, float f, double d, String s, byte b, short h, char c, boolean z, int[] n, long k, double e, float g,
                              double d2, float f2, double d3, float f3, double d4, float f4, double d5, int last);

    static native double floats(float a, double b, float c, double d, float e, double f, float g, double h, float i, double j, int k);

    static native void fails(String message);

    static native int deep(Natives self, int depth);

    native Natives same(int a);

    int back(int depth) {
        return depth == 0 ? 0 : 1 + deep(this, depth);
    }

    static void check(String what, boolean right) {
        if (!right) System.out.println("java wrong " + what);
    }

    static void calls() {
        nothing();
        check("flag", flag(true) && !flag(false));
        check("small", small((byte) -7) == -7);
        check("letter", letter('\uabcd') == '\uabcd');
        check("brief", brief((short) -30000) == -30000);
        check("number", number(-5) == -5);
        check("wide", wide(-5L << 40) == -5L << 40);
        check("real", real(1.5f) == 1.5f);
        check("precise", precise(-0.1) == -0.1);
        check("text", text("abc").equals("abc") && text(null) == null);
        String all = many(1, 2L << 33, 1.5f, 2.5, "s", (byte) -1, (short) -2, 'x', true, new int[] {7}, -9L, 3.5, 4.5f, 5.5, 6.5f, 7.5, 8.5f, 9.5,
                10.5f, 11.5, 12);
        check("many " + all, all.equals("1 17179869184 1.5 2.5 s -1 -2 x 1 7 -9 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12"));
        check("floats", floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) == 1 + 2 * 2 + 3 * 3 + 4 * 4 + 5 * 5 + 6 * 6 + 7 * 7 + 8 * 8 + 9 * 9 + 10 * 10 + 11 * 11);
        try {
            fails("thrown");
            check("fails", false);
        } catch (IllegalStateException e) {
            check("message", e.getMessage().equals("thrown") && e.getStackTrace()[0].getMethodName().equals("fails"));
        }
        Natives n = new Natives();
        check("same", n.same(3) == n);
        check("deep", n.back(5) == 5);
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        if (args.length > 3) {
            nothing(); // is bound before
            System.out.println("ready");
            System.in.read();
        }
        int times = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[Integer.parseInt(args[2])];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int k = 0; k < times; k++) calls();
            });
            threads[i].start();
        }
        for (Thread t : threads) t.join();
        System.out.println("java done");
    }
}
