package java.lang;

import static java.lang.Counting.count;
import static java.lang.Header.*;
import static java.lang.Starting.*;
import static java.lang.Threads.SLOTS;

import jdk.internal.vm.annotation.DontInline;

/** Times of calls: natives read the clock (native/timing/timing.c); Java code decides which calls of a paced method are
 * timed. */
final class Timing {
    /** From the count of a paced method's calls to the number of the next one that is timed. */
    static final long NEXT_TIMED = 8L * (CH_PACED_NEXT - CH_PACED_CALLS);

    public static native int enter(int slot);

    public static native int enterTree(int slot);

    public static native void caught(int entry);

    public static native void exit(int entry);

    public static native void thrown(int entry);

    public static native int enterDue(int slot);

    public static native int regionBegins(int slot);

    public static native void regionEnds(int entry);

    public static native void countBelow(int slot);

    public static native boolean isBelow(int slot);

    public static native int enterBelow(int slot);

    static native int dueSlowly(int slot, Thread carrier);

    /** Counts in the slot. Returns it if the count has reached the number in the next slot (pacing.c) and the
     * activation is to be timed, else 0. */
    public static int due(int slot) {
        long at = U.getLong(Thread.currentThread(), SLOTS);
        if (at < NO_SLOTS) {
            at = -at;
            at = ((long) (slot & MASK) << 3) + at;
            long calls = U.getLong(null, at);
            U.putLong(null, at, calls + 1);
            if (calls < U.getLong(null, at + NEXT_TIMED)) return 0;
            return slot;
        }
        return dueSlowly(slot, Thread.currentCarrierThread());
    }

    /** `entry`: the result of enterDue, or 0 if the call is not timed. */
    public static void exitPaced(int entry) {
        if (entry != 0) exit(entry);
    }

    /** `thrown`: the slot that counts exceptions. */
    @DontInline
    public static void thrownPaced(int entry, int thrown) {
        count(thrown);
        if (entry != 0) thrown(entry);
    }

    /** `entry`: what enter returned for a call that is timed, or 0. */
    @DontInline
    public static void thrownCall(int entry) {
        if (entry != 0) thrown(entry);
    }

    static void link(int slot) {
        int timed = slot + CH_ALLOC_SLOTS + CH_PACED_RECORD;
        exit(enter(timed));
        thrown(enter(timed));
        int entry = enterTree(timed);
        caught(entry);
        exit(entry);
        timed += CH_PACED_CALLS - CH_PACED_RECORD;
        exit(enterDue(timed));
        dueSlowly(timed, Thread.currentCarrierThread());
    }
}
