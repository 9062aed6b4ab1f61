/** Called from native threads that attach and detach; see test_native_threads.py. */
final class Attached {
    static final class Item {
        int value;
    }

    static Object sink;

    static native void storm(int threads, int attachments, int calls);

    /** Native threads, started one after another, that call Java and detach only when the native thread ends. */
    static native void linger(int threads, int calls);

    static void call(int n) {
        sink = new Item();
        if (n == 0) throw new IllegalStateException();
    }

    /** The outermost Java method of a native thread, which sometimes throws. */
    static void outermost(int n) {
        call(n % 100);
    }

    public static void main(String[] args) {
        System.load(args[0]);
        if (args.length == 3) linger(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        else storm(Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        System.out.println("done");
    }
}
