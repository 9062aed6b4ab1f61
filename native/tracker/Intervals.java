package java.lang;

/** Times from one method to another (`time from`; native/watch/intervals.c). */
final class Intervals {
    public static native void intervalBegins(Object key, int slot);

    public static native void intervalEnds(Object key, int slot);

    static void link(int slot) {
        intervalBegins(null, slot);
        intervalEnds(null, slot);
    }
}
