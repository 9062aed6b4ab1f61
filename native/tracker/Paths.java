package java.lang;

import static java.lang.Counting.count;
import static java.lang.Header.*;
import static java.lang.Starting.*;
import static java.lang.Threads.SLOTS;

import jdk.internal.vm.annotation.DontInline;

/** The path of a profiled thread: which methods it is in (`profile`; native/timing/paths.c, shadow_stacks.c).
 *
 * Stores to the depth are plain. Of two with only arithmetic between them, a loop perhaps, the JIT keeps only the second
 * one; the sampler then finds the method by its compiled code (native/sampling/profiled_methods.c). Opaque stores would
 * cost much: they end the JIT's knowledge of all memory, the thread's block included. */
final class Paths {
    /** From a thread's block to its path. */
    static final long PATH = pathAt();
    /** The last place: if there are too many frames, it has the one called last. */
    static final int LAST = CH_PATH_FRAMES - 1;
    /** A mask that shows the JIT that the depth is not negative. Less than CH_UNNUMBERED, which would make this class
     * look like one whose probes nobody numbered. */
    static final int POSITIVE = 0x3FFFFFFF;

    static native int pathAt();

    static native int pushSlowly(int slot, Thread carrier);

    /** Counts in the slot, puts it on the thread's path, and returns the frame's depth (paths.c), which pop takes to
     * end it; -1 where there is no path. */
    public static int push(int slot) {
        int depth;
        long at = U.getLong(Thread.currentThread(), SLOTS);
        if (at < NO_SLOTS) {
            at = -at;
            long path = PATH + at;
            at = ((long) (slot & MASK) << 3) + at;
            U.putLong(null, at, U.getLong(null, at) + 1);
            depth = U.getInt(null, path) & POSITIVE;
            U.putInt(null, path + CH_PATH_AT + ((long) ((depth | LAST - depth >> 31) & LAST) << 2), slot);
            U.putInt(null, path, depth + 1);
            return depth;
        }
        return pushSlowly(slot, Thread.currentCarrierThread());
    }

    public static void pop(int depth) {
        if (depth >= 0) {
            long at = U.getLong(Thread.currentThread(), SLOTS);
            if (at < NO_SLOTS) {
                at = -at;
                U.putInt(null, PATH + at, depth);
                return;
            }
        }
    }

    /** Ends the frames above this one: those that an exception left. */
    @DontInline
    public static void restore(int depth) {
        if (depth >= 0) {
            long at = U.getLong(Thread.currentThread(), SLOTS);
            if (at < NO_SLOTS) {
                at = -at;
                U.putInt(null, PATH + at, depth + 1);
                return;
            }
        }
    }

    @DontInline
    public static void popThrown(int depth, int thrown) {
        pop(depth);
        count(thrown);
    }

    static void link(int slot) {
        pop(pushSlowly(slot, Thread.currentCarrierThread()));
    }
}
