package java.lang;

import static java.lang.Starting.U;

/** A thread's slots from JDK 19 on: in a field of an object that virtual threads lack, and threads that are
 * attaching. */
final class Carriers {
    static final long HOLDER = U.objectFieldOffset(Thread.class, "holder");
    static final long SLOTS = U.objectFieldOffset(Thread.FieldHolder.class, "stackSize");

    static Object holderOf(Thread thread) {
        return U.getReference(thread, HOLDER);
    }
}
