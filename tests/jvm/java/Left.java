/** Frames that are left without any code of their own: constructors whose super() throws. Then threads that end before anybody looks again. */
public class Left {
    static volatile double sink;

    static class Base {
        Base(int i) { if (i >= 0) throw new IllegalStateException(); }
    }

    static class Failing extends Base {
        Failing(int i) { super(i); }
    }

    static void nap() throws InterruptedException { Thread.sleep(120); }

    static volatile long napped;

    static void naps() {
        long before = System.nanoTime();
        try { nap(); } catch (InterruptedException e) { throw new IllegalStateException(e); }
        napped += System.nanoTime() - before;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 10_000; i++) {
            try { new Failing(i); } catch (IllegalStateException e) { sink++; }
        }
        double x = 1;
        for (int i = 0; i < 400_000_000; i++) x = x * 0.999 + 1;
        sink = x;
        for (int i = 0; i < 5; i++) {
            Thread t = new Thread(Left::naps);
            t.start();
            t.join();
        }
        System.out.println(napped + " " + (sink > 0));
    }
}
