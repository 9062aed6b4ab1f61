package java.lang;

import static java.lang.Starting.U;
import static java.lang.Threads.SLOTS;

import jdk.internal.vm.annotation.DontInline;

/** Moves a thread to another block of counters: the agent says where to, and the tracker stores the address in the
 * Thread object, which takes the agent itself ten times as long (native/threads/moved_threads.c).
 *
 * The stack may end where `moved` is called, when the agent has given the old block to others already. So `moved` is
 * called without effect before the agent is: if the stack is too short, nothing has happened. If it is too short only
 * then (the JIT may have replaced code meanwhile), the agent stores the address itself: `settle` needs no more of the
 * stack than the native before. All methods of Contexts and Mounting have this form. */
final class Moving {
    /** Blocks begin at multiples of a page, below 2^48 (aarch64 uses all of these bits): in the other bits is a number,
     * its lower bits first. */
    static final int PAGE_BITS = 12;

    static final int ADDRESS_BITS = 48;
    static final long IN_PAGE = (1L << PAGE_BITS) - 1;
    static final long ADDRESS = (1L << ADDRESS_BITS) - (1L << PAGE_BITS);

    static native void settle(Thread carrier);

    /** Reads the field before the agent is called. */
    static long slotsIn(Object holder) {
        if (holder != null) return U.getLong(holder, SLOTS);
        return 0;
    }

    /** Stores the new address, unless something else was stored meanwhile (ch_threads_look, a probe's slow path): then
     * nothing is there, and the next probe asks the agent. Returns the number that came along. The JIT does not look
     * into it, so no compiled loop keeps the old address. */
    @DontInline
    static int moved(long to, Object holder, long before) {
        if (holder != null) {
            long after = -(to & ADDRESS);
            if (after == 0) after = before;
            if (!U.compareAndSetLong(holder, SLOTS, before, after)) U.putLong(holder, SLOTS, 0);
        }
        return (int) (to & IN_PAGE | to >>> ADDRESS_BITS << PAGE_BITS);
    }

    static void link(int slot) {
        settle(Thread.currentCarrierThread());
    }
}
