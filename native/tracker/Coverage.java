package java.lang;

import static java.lang.Counting.BASE_REF;
import static java.lang.Starting.*;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Stable;

/** Probes of coverage: a byte for each. */
final class Coverage {
    /** log2 of the number of slots in a part of SEEN, and of FIELDS (Fields). */
    static final int SEEN_SHIFT = 14;
    /** The last slot of a part. */
    static final int SEEN_LAST = (1 << SEEN_SHIFT) - 1;
    /** The region CH_COVER, with a byte for each slot. */
    static final long COVER = coverBase();
    /** No two threads write to one cache line of the region again and again: they look here first, and come to the
     * region only for what is not set here. The JIT takes elements that are set for constants, so that a probe that was
     * hit before its method is compiled leaves no code. It is made in parts, when their first slot is hit: one large
     * array that lives from the start on makes G1 choose larger young generations (H2: +42 MB for 1 MB). */
    @Stable static final byte[][] SEEN = new byte[(MASK >>> SEEN_SHIFT) + 1][];

    static native long coverBase();

    /** Sets the slot's byte in the region. */
    public static void covered(int slot) {
        byte[] part = SEEN[(slot & MASK) >>> SEEN_SHIFT];
        if (part == null || part[slot & SEEN_LAST] == 0) coveredFirst(slot);
    }

    @DontInline
    static void coveredFirst(int slot) {
        long at = COVER + (slot & MASK);
        if (U.getByte(null, at) == 0) U.putByte(null, at, (byte) 1);
        seen(slot);
    }

    /** Without memory for a part, the program goes on and comes here again. */
    @DontInline
    static void seen(int slot) {
        try {
            if (SEEN[(slot & MASK) >>> SEEN_SHIFT] == null) {
                long at = BASE_REF + ((slot & MASK) >>> SEEN_SHIFT << REF);
                U.compareAndSetReference(SEEN, at, null, new byte[1 << SEEN_SHIFT]);
            }
            SEEN[(slot & MASK) >>> SEEN_SHIFT][slot & SEEN_LAST] = 1;
        } catch (Throwable noMemory) {
            return;
        }
    }
}
