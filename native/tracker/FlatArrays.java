package java.lang;

import static java.lang.Counting.*;
import static java.lang.Starting.*;
import static java.lang.Threads.SLOTS;

/** Arrays of objects in JVMs with value objects (JDK 28 and later): they may be flat, and an element's size follows
 * from the class, which the site names. */
final class FlatArrays {
    /** A word for each site (native/objects/allocation_sites.c): where the elements begin, above the size of one; 0 if
     * nothing was allocated there yet. */
    static final long LAYOUTS = arrayLayouts();

    static native long arrayLayouts();

    static native void arrayAtSite(int length, int slot, Thread carrier);

    public static void arrayRef(int length, int slot) {
        long at;
        if (LAYOUTS != 0) {
            long size = U.getLong(null, ((long) (slot & MASK) << 3) + LAYOUTS);
            if (size != 0) {
                size = (long) length * (int) size + (size >>> 32) + ALIGN - 1 & -ALIGN;
                at = U.getLong(Thread.currentThread(), SLOTS);
                if (at < NO_SLOTS) {
                    at = -at;
                    at = ((long) (slot & MASK) << 3) + at;
                    U.putLong(null, at, U.getLong(null, at) + 1);
                    at += BYTES;
                    U.putLong(null, at, U.getLong(null, at) + size);
                    return;
                }
                arraySlowly(size, slot, Thread.currentCarrierThread());
                return;
            }
        }
        arrayAtSite(length, slot, Thread.currentCarrierThread());
    }

    static void link(int slot) {
        arrayAtSite(0, slot, Thread.currentCarrierThread());
    }
}
