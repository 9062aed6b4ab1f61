package java.lang;

import static java.lang.Moving.*;
import static java.lang.Threads.holderOf;

/** Contexts (tests, requests, endpoints), and tasks that take theirs to other threads
 * (native/contexts/context_blocks.c, tasks.c). */
final class Contexts {
    /** In place of the context around a call that began in none of its own. */
    static final long UNKNOWN = -1;

    static native long contextBegins(int slot, Thread carrier);

    static native long contextBeginsBy(Object root, int slot, Thread carrier);

    static native long contextEnds(int depth, Thread carrier);

    static native long contextWaits(int depth, Thread carrier);

    static native long contextGoesOn(int depth, Thread carrier);

    public static native long contextAt(int depth);

    public static native long contextAround(int depth);

    static native long contextResumes(long kept, Thread carrier);

    static native long callLeaves(int depth, long around, Thread carrier);

    /** Marks a task with this thread's context. */
    public static native void submitted(Object task);

    static native long taskBegins(Object task, Thread carrier);

    static native long taskFollows(Object task, Thread carrier);

    static native long tasksEnd(Thread carrier);

    /** Returns the context's depth, which endContext and endContextOnward take. */
    public static int beginContext(int slot) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextBegins(slot, thread);
            return moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
            return (int) (to & IN_PAGE | to >>> ADDRESS_BITS << PAGE_BITS);
        }
    }

    public static int beginContextBy(Object root, int slot) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextBeginsBy(root, slot, thread);
            return moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
            return (int) (to & IN_PAGE | to >>> ADDRESS_BITS << PAGE_BITS);
        }
    }

    public static void endContext(int depth) {
        if (depth == 0) return;
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextEnds(depth, thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    /** Leaves the context of a call that goes on later. */
    public static void leaveWaiting(int depth) {
        if (depth == 0) return;
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextWaits(depth, thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    public static void endContextOnward(int depth) {
        if (depth == 0) return;
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextGoesOn(depth, thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    /** Enters the context that contextAt has returned, for a call that waits; returns a depth. */
    public static int resumeContext(long kept) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = contextResumes(kept, thread);
            return moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
            return (int) (to & IN_PAGE | to >>> ADDRESS_BITS << PAGE_BITS);
        }
    }

    /** Ends the context of a call that waits, in place of endContext. `around`: what contextAround has returned, or
     * UNKNOWN. */
    public static void leaveCall(int depth, long around) {
        if (around == UNKNOWN) return;
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = callLeaves(depth, around, thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    /** Enters the task's context, and returns a depth for endContext. */
    public static int beginTask(Object task) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = taskBegins(task, thread);
            return moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
            return (int) (to & IN_PAGE | to >>> ADDRESS_BITS << PAGE_BITS);
        }
    }

    /** Leaves all contexts before. */
    public static void nextTask(Object task) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = taskFollows(task, thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    /** Leaves all contexts. */
    public static void noTask() {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = tasksEnd(thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    static void link(int slot) {
        Thread thread = Thread.currentCarrierThread();
        submitted(null);
        taskBegins(null, thread);
        taskFollows(null, thread);
        tasksEnd(thread);
        contextBeginsBy(null, -1, thread);
        contextBegins(-1, thread);
        contextEnds(0, thread);
        contextWaits(0, thread);
        contextGoesOn(0, thread);
        contextAt(0);
        contextAround(0);
        contextResumes(0, thread);
        callLeaves(0, 0, thread);
    }
}
