package java.lang;

import static java.lang.Moving.*;
import static java.lang.Starting.U;
import static java.lang.Threads.holderOf;

/** The methods that VirtualThread.mount and unmount call (native/contexts/virtual_threads.c). */
final class Mounting {
    static final long TID = U.objectFieldOffset(Thread.class, "tid");

    static native long mountedOn(long number, Thread carrier);

    static native long unmountingFrom(Thread carrier);

    static void mounted(Thread mounted) {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = mountedOn(U.getLong(mounted, TID), thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    static void unmounting() {
        long to = 0;
        Thread thread = Thread.currentCarrierThread();
        try {
            Object holder = holderOf(thread);
            long before = slotsIn(holder);
            moved(to, holder, before);
            to = unmountingFrom(thread);
            moved(to, holder, before);
        } catch (VirtualMachineError tooDeep) {
            settle(thread);
        }
    }

    static void link(int slot) {
        mountedOn(0, Thread.currentCarrierThread());
        unmountingFrom(Thread.currentCarrierThread());
    }
}
