/** Methods whose calls take times of different patterns, most of them in step with some number of calls; prints what each took, and what calls took that were interrupted. */
public class Patterns {
    static final int METHODS = 40, CALLS = 2000, SHORT = 1_000, LONG = 30_000, INTERRUPTED = 300_000;

    static void busy(long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() < end) Thread.onSpinWait();
    }

    static void method0(long ns) { busy(ns); }
    static void method1(long ns) { busy(ns); }
    static void method2(long ns) { busy(ns); }
    static void method3(long ns) { busy(ns); }
    static void method4(long ns) { busy(ns); }
    static void method5(long ns) { busy(ns); }
    static void method6(long ns) { busy(ns); }
    static void method7(long ns) { busy(ns); }
    static void method8(long ns) { busy(ns); }
    static void method9(long ns) { busy(ns); }
    static void method10(long ns) { busy(ns); }
    static void method11(long ns) { busy(ns); }
    static void method12(long ns) { busy(ns); }
    static void method13(long ns) { busy(ns); }
    static void method14(long ns) { busy(ns); }
    static void method15(long ns) { busy(ns); }
    static void method16(long ns) { busy(ns); }
    static void method17(long ns) { busy(ns); }
    static void method18(long ns) { busy(ns); }
    static void method19(long ns) { busy(ns); }
    static void method20(long ns) { busy(ns); }
    static void method21(long ns) { busy(ns); }
    static void method22(long ns) { busy(ns); }
    static void method23(long ns) { busy(ns); }
    static void method24(long ns) { busy(ns); }
    static void method25(long ns) { busy(ns); }
    static void method26(long ns) { busy(ns); }
    static void method27(long ns) { busy(ns); }
    static void method28(long ns) { busy(ns); }
    static void method29(long ns) { busy(ns); }
    static void method30(long ns) { busy(ns); }
    static void method31(long ns) { busy(ns); }
    static void method32(long ns) { busy(ns); }
    static void method33(long ns) { busy(ns); }
    static void method34(long ns) { busy(ns); }
    static void method35(long ns) { busy(ns); }
    static void method36(long ns) { busy(ns); }
    static void method37(long ns) { busy(ns); }
    static void method38(long ns) { busy(ns); }
    static void method39(long ns) { busy(ns); }

    /** Of a method's call. */
    static long time(int method, int call) {
        int every = 2 + method % 20; // each so many-th call is long: 20 would be in step with one of 20
        if (method < 20) return call % every == 0 ? LONG : SHORT;
        if (method < 30) return SHORT + (long) call * LONG / CALLS / 4; // slower and slower
        return call / (10 * every) % 4 == 0 ? LONG / 2 : SHORT; // by turns
    }

    static void call(int method, long ns) {
        switch (method) {
            case 0 -> method0(ns);
            case 1 -> method1(ns);
            case 2 -> method2(ns);
            case 3 -> method3(ns);
            case 4 -> method4(ns);
            case 5 -> method5(ns);
            case 6 -> method6(ns);
            case 7 -> method7(ns);
            case 8 -> method8(ns);
            case 9 -> method9(ns);
            case 10 -> method10(ns);
            case 11 -> method11(ns);
            case 12 -> method12(ns);
            case 13 -> method13(ns);
            case 14 -> method14(ns);
            case 15 -> method15(ns);
            case 16 -> method16(ns);
            case 17 -> method17(ns);
            case 18 -> method18(ns);
            case 19 -> method19(ns);
            case 20 -> method20(ns);
            case 21 -> method21(ns);
            case 22 -> method22(ns);
            case 23 -> method23(ns);
            case 24 -> method24(ns);
            case 25 -> method25(ns);
            case 26 -> method26(ns);
            case 27 -> method27(ns);
            case 28 -> method28(ns);
            case 29 -> method29(ns);
            case 30 -> method30(ns);
            case 31 -> method31(ns);
            case 32 -> method32(ns);
            case 33 -> method33(ns);
            case 34 -> method34(ns);
            case 35 -> method35(ns);
            case 36 -> method36(ns);
            case 37 -> method37(ns);
            case 38 -> method38(ns);
            case 39 -> method39(ns);
            default -> throw new IllegalArgumentException();
        }
    }

    /** After little work it sleeps for longer, so that the system seldom finds that it is another program's turn. */
    public static void main(String[] args) throws InterruptedException {
        for (int m = 0; m < METHODS; m++) {
            long took = 0, interrupted = 0, worked = 0;
            for (int i = 0; i < CALLS; i++) {
                long ns = time(m, i), start = System.nanoTime();
                call(m, ns);
                long one = System.nanoTime() - start;
                took += one;
                if (one > ns + INTERRUPTED) interrupted += one;
                if ((worked += one) > 150_000) {
                    worked = 0;
                    Thread.sleep(1);
                }
            }
            System.out.println("method" + m + " " + took + " " + interrupted);
        }
    }
}
