package java.lang;

import static java.lang.Starting.U;

/** A thread's slots before JDK 19: in a field of the Thread object. */
final class Threads {
    static final long SLOTS = U.objectFieldOffset(Thread.class, "stackSize");

    static Object holderOf(Thread thread) {
        return thread;
    }
}
