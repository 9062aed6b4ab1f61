/** Calls native code that makes references to an object. */
public class References {
    static native void make(Object o, int n);

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        make(new References(), Integer.parseInt(args[1]));
        Thread.sleep(50);
    }
}
