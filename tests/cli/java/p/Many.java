package p;

/** Defines one class under many names, more than a small disk has room for, and calls each. */
public class Many {
    static final class Loader extends ClassLoader {
        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }
    }

    public static class One implements Runnable {
        static int a(int i) { return i + 1; }
        static int b(int i) { return i + 2; }
        static int c(int i) { return i + 3; }

        public void run() {
            int n = 0;
            for (int i = 0; i < 100; i++) n += a(i) + b(i) + c(i);
            if (n != 15450 + 0 * n) throw new AssertionError(n);
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = Many.class.getResourceAsStream("Many$One.class").readAllBytes();
        int threads = Integer.parseInt(args[1]);
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Runnable one = (Runnable) new Loader().define(bytes).getDeclaredConstructor().newInstance();
            Thread[] all = new Thread[threads];
            for (int t = 0; t < threads; t++) (all[t] = new Thread(one)).start();
            for (Thread t : all) t.join();
        }
        System.out.println("done");
    }
}
