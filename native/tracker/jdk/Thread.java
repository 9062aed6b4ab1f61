package java.lang;

/** The members of the JDK's Thread that the tracker names, in any of its releases: this class is compiled against, and
 * not kept. */
public class Thread {
    public static native Thread currentThread();

    /** Since JDK 19. Before, a thread is its own carrier. */
    static native Thread currentCarrierThread();

    /** Since JDK 19: fields that only platform threads have. */
    static class FieldHolder {}

    public static native void sleep(long ms) throws InterruptedException;

    public native void interrupt();
}
