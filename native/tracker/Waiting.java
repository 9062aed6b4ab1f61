package java.lang;

import static java.lang.Counting.BASE_REF;
import static java.lang.Starting.*;
import static java.lang.Watching.lighter;

import java.lang.ref.WeakReference;
import jdk.internal.vm.annotation.DontInline;

/** Calls of Kotlin's suspend functions that wait: what probes know of each, until it goes on
 * (instrument/probes/carried.py).
 *
 * An element stays in the place where it was put: one of WAYS neighbours, by the identity hash code of the function's
 * own continuation, in the first table that has a free one. A place is free if its call has ended, or if nobody has the
 * continuation any more: such a call never goes on. The element holds the continuation weakly. Nothing is locked; if
 * all tables are full, what is known of the call is lost.
 *
 * The program itself may call these methods, with any object for an element. */
final class Waiting {
    static final int TABLES = 7; // the last table has 1 << 20 places
    static final int FIRST_SHIFT = 8;
    static final int WAYS = 8;
    /** Each is four times as large as the one before it, and made when it is needed. */
    static final Element[][] CALLS = new Element[TABLES][];

    /** Returns the element, or null. `woven` is a number of the woven code: what other code has kept means something
     * else. */
    @DontInline
    public static Object callWaits(Object own, Object[] kept, int woven) {
        try {
            Element made = new Element(own, woven, 0);
            made.kept = kept;
            for (int level = 0; level < TABLES; level++) {
                Element[] table = CALLS[level];
                if (table == null) {
                    Element[] empty = new Element[1 << FIRST_SHIFT + (level << 1)];
                    U.compareAndSetReference(CALLS, BASE_REF + (level << REF), null, empty);
                    table = CALLS[level];
                }
                int at = firstPlace(own, table);
                for (int behind = at + WAYS; at < behind; at++) {
                    Element old = table[at];
                    if ((old == null || old.kept == null || old.get() == null)
                            && U.compareAndSetReference(table, BASE_REF + (at << REF), old, made)) return made;
                }
            }
            return null;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    static int firstPlace(Object own, Element[] table) {
        int hash = System.identityHashCode(own);
        return (hash ^ hash >>> 16) * WAYS & table.length - WAYS;
    }

    /** Finds the element. */
    public static Object callGoesOn(Object own, int woven) {
        for (int level = 0; level < TABLES; level++) {
            Element[] table = CALLS[level];
            if (table == null) return null;
            int at = firstPlace(own, table);
            for (int behind = at + WAYS; at < behind; at++) {
                Element found = table[at];
                if (found != null && found.kept != null && found.get() == own) {
                    if (found.slot == woven) return found;
                    return null;
                }
            }
        }
        return null;
    }

    /** Gives the element up. */
    public static void callEnds(Object element) {
        if (element instanceof Element) ((Element) element).kept = null;
    }

    // What is in the array that was kept; something else without an element.

    public static int keptInt(Object element, int index, int otherwise) {
        if (element instanceof Element) return (Integer) ((Element) element).kept[index];
        return otherwise;
    }

    public static long keptLong(Object element, int index, long otherwise) {
        if (element instanceof Element) return (Long) ((Element) element).kept[index];
        return otherwise;
    }

    public static Object[] keptObjects(Object element, int index) {
        if (element instanceof Element) return (Object[]) ((Element) element).kept[index];
        return null;
    }

    /** A copy of an array that keeps none of the program's objects alive. */
    public static Object[] lightened(Object[] array) {
        try {
            if (array == null) return null;
            Object[] copy = new Object[array.length];
            for (int i = 0; i < array.length; i++) copy[i] = lighter(array[i], 1);
            return copy;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    /** A copy of such a copy with the objects, as far as they are still there. */
    public static Object[] regained(Object[] array) {
        try {
            if (array == null) return null;
            Object[] copy = new Object[array.length];
            for (int i = 0; i < array.length; i++) {
                Object there = array[i];
                copy[i] = there instanceof WeakReference ? ((WeakReference<?>) there).get() : there;
            }
            return copy;
        } catch (Throwable noMemory) {
            return null;
        }
    }
}
