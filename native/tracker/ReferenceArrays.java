package java.lang;

import static java.lang.Counting.*;
import static java.lang.Starting.*;
import static java.lang.Threads.SLOTS;

/** Arrays of objects in JVMs without value objects: an element is a reference. */
final class ReferenceArrays {
    static native long arrayLayouts();

    static native void arrayAtSite(int length, int slot, Thread carrier);

    public static void arrayRef(int length, int slot) {
        long at;
        long size = ((long) length << REF) + BASE_REF + ALIGN - 1 & -ALIGN;
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
    }
}
