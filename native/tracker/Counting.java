package java.lang;

import static java.lang.Header.*;
import static java.lang.Starting.*;
import static java.lang.Threads.SLOTS;

/** Counts of calls and of allocated objects: a load and a store in the block of the carrier thread.
 *
 * A field of the Thread object holds the block's negated address (native/threads/thread_blocks.c). The method is made
 * for JDK 19 and later from what is here (native/building/tracker/probes.py): a probe looks at the current thread
 * first, since the JIT assumes that it does not change within a method, but not so for the carrier; a virtual thread
 * has no such field, and then a second method (countCarrier for count) looks at the carrier.
 *
 * Loads and stores are by the intrinsic itself (null as its object): the JIT would have to inline its wrapper each
 * time. They are plain, since only the owner writes there. */
final class Counting {
    static final long BASE_1 = arrayBase(byte[].class);
    static final long BASE_2 = arrayBase(short[].class);
    static final long BASE_4 = arrayBase(int[].class);
    static final long BASE_8 = arrayBase(long[].class);
    static final long BASE_REF = arrayBase(Object[].class);
    /** From an allocation's count to its bytes. */
    static final long BYTES = 8L * (CH_ALLOC_BYTES - CH_ALLOC_COUNT);

    /** The offset of an array's first element. */
    static native long arrayBase(Class<?> type);

    static native void countSlowly(int slot, Thread carrier);

    static native void allocatedSlowly(int slot, Thread carrier);

    static native void arraySlowly(long size, int slot, Thread carrier);

    static native void multiArray(Object array, int slot, Thread carrier);

    public static void count(int slot) {
        long at = U.getLong(Thread.currentThread(), SLOTS);
        if (at < NO_SLOTS) {
            at = -at; // what is added to it is part of the instruction then
            at = ((long) (slot & MASK) << 3) + at;
            U.putLong(null, at, U.getLong(null, at) + 1);
            return;
        }
        countSlowly(slot, Thread.currentCarrierThread());
    }

    public static void allocated(int slot) {
        long at = U.getLong(Thread.currentThread(), SLOTS);
        if (at < NO_SLOTS) {
            at = -at;
            at = ((long) (slot & MASK) << 3) + at;
            if (U.getLong(null, at) != 0) {
                U.putLong(null, at, U.getLong(null, at) + 1);
                return;
            }
        }
        allocatedSlowly(slot, Thread.currentCarrierThread());
    }

    // One for each size of elements: each adds one to the slot, and the array's bytes to the next one.

    public static void array1(int length, int slot) {
        long at;
        long size = length + BASE_1 + ALIGN - 1 & -ALIGN;
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

    public static void array2(int length, int slot) {
        long at;
        long size = ((long) length << 1) + BASE_2 + ALIGN - 1 & -ALIGN;
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

    public static void array4(int length, int slot) {
        long at;
        long size = ((long) length << 2) + BASE_4 + ALIGN - 1 & -ALIGN;
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

    public static void array8(int length, int slot) {
        long at;
        long size = ((long) length << 3) + BASE_8 + ALIGN - 1 & -ALIGN;
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

    public static void arrays(Object array, int slot) {
        multiArray(array, slot, Thread.currentCarrierThread());
    }

    static void link(int slot) {
        countSlowly(slot, Thread.currentCarrierThread());
        allocatedSlowly(slot, Thread.currentCarrierThread());
        arraySlowly(0, slot, Thread.currentCarrierThread());
        multiArray(null, slot, Thread.currentCarrierThread());
    }
}
