package java.lang;

import java.lang.reflect.Method;
import jdk.internal.misc.Unsafe;

/** The start of the class: members that all parts use, and methods that the agent calls. */
final class Starting implements Runnable {
    static final Unsafe U = Unsafe.getUnsafe();
    /** The mask for a slot's number: whatever it is, an address is within the block. */
    static final int MASK = mask();
    static final long ALIGN = alignment();
    /** log2 of a reference's size: 4 or 8 bytes. */
    static final int REF = (U.arrayIndexScale(Object[].class) >> 2) + 1;
    /** The field that has the negated address of a thread's block is below this, and above if it has something else:
     * the JDK and programs may store small negative numbers there, and the kernel places mappings far above the first 4
     * GB. */
    static final long NO_SLOTS = -(1L << 32);

    static native int mask();

    static native int alignment();

    static native void shutDown();

    /** Calls a static method without arguments, as the JDK's own code. */
    static void invoke(Method method) throws ReflectiveOperationException {
        method.invoke(null, (Object[]) null);
    }

    /** For java.lang.Shutdown (native/base/shutdown_hook.c); that class runs no method that is static. */
    public void run() {
        shutDown();
    }
}
