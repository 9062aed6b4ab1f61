package java.lang;

import static java.lang.Counting.BASE_REF;
import static java.lang.Coverage.*;
import static java.lang.Header.*;
import static java.lang.Keys.*;
import static java.lang.Starting.*;

import java.lang.reflect.Array;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Stable;

/** Reads fields of objects, for conditions, keys and values: by Unsafe, at places that the agent finds
 * (native/watch/field_places.c).
 *
 * 1. FIELDS has, for the slot of a probe, a chain of elements: one for each field that its paths name (`key`) and each
 *    class of objects that came by, to which an element has a weak reference. It says what is there (`slot`: enum
 *    ch_place) and where (`at`). So nothing is read from an object of another class, and no access is checked.
 * 2. An element never changes, and a chain only grows; both are @Stable, so that compiled code has them as constants.
 *    Beyond MOST classes, and where something is unusual, the answer is UNSURE: the condition may hold, and the agent
 *    decides it.
 * 3. No method of the program is called, and no class is initialised. */
final class Fields {
    /** The most classes in a chain; further ones are left to the agent. */
    static final int MOST = 24;
    /** The deepest nesting of collections that wrap another one. */
    static final int DEEPEST = 8;
    /** The bits of an element for the kind of value, without CH_PLACE_VOLATILE. */
    static final int KIND = 15;

    @Stable static final Element[][] FIELDS = new Element[(MASK >>> SEEN_SHIFT) + 1][];
    static final long NEXT = U.objectFieldOffset(Element.class, "next");
    /** In place of what is not known. */
    static final Element UNSURE = new Element(null, CH_PLACE_UNSURE, -1);
    /** In place of what is not there. */
    static final Element NOTHING = new Element(null, CH_PLACE_NOTHING, -1);

    static volatile int BARRIER;

    static native long placeOf(Object object, int slot, int asked);

    /** The element for an object that is not null. The first few are looked at without a loop, which the JIT would not
     * take for constant. A volatile field is read behind a barrier. */
    static Element fieldOf(Object object, int slot, int asked) {
        if (object instanceof Element) return (Element) object;
        Element field;
        Element[] part = FIELDS[(slot & MASK) >>> SEEN_SHIFT];
        if (part != null
                && (field = part[slot & MASK & SEEN_LAST]) != null
                && (field.key == (asked & CH_ASKED_PLACE) && field.get() == object.getClass()
                        || (field = field.next) != null
                                && (field.key == (asked & CH_ASKED_PLACE) && field.get() == object.getClass()
                                        || (field = field.next) != null
                                                && (field.key == (asked & CH_ASKED_PLACE)
                                                                && field.get() == object.getClass()
                                                        || (field = further(field, object, asked)) != null)))) {
            if ((field.slot & CH_PLACE_VOLATILE) == 0) return field;
            int behind = BARRIER;
            return field;
        }
        return fieldAnew(object, slot, asked);
    }

    /** The element for an object behind this one; null if there is none. */
    static Element further(Element field, Object object, int asked) {
        do {
            field = field.next;
        } while (field != null && (field.key != (asked & CH_ASKED_PLACE) || field.get() != object.getClass()));
        return field;
    }

    /** Asks the agent, and adds an element to the chain's end. If two threads do so at once, one adds; the other comes
     * again. */
    @DontInline
    static Element fieldAnew(Object object, int slot, int asked) {
        try {
            int number = (slot & MASK) >>> SEEN_SHIFT;
            int place = slot & MASK & SEEN_LAST;
            if (FIELDS[number] == null) {
                U.compareAndSetReference(FIELDS, BASE_REF + (number << REF), null, new Element[1 << SEEN_SHIFT]);
            }
            Element last = null;
            int length = 0;
            for (Element field = FIELDS[number][place]; field != null; field = field.next) {
                last = field;
                length++;
            }
            if (length >= MOST) return UNSURE;
            long found = placeOf(object, slot, asked);
            Element made = new Element(object.getClass(), (int) found & 255, asked & CH_ASKED_PLACE);
            made.at = found >> 8;
            if (last != null) U.compareAndSetReference(last, NEXT, null, made);
            else U.compareAndSetReference(FIELDS[number], BASE_REF + (place << REF), null, made);
            return made;
        } catch (Throwable noMemory) {
            return UNSURE;
        }
    }

    /** The object in a field; an element stands for an absent or unknown one. */
    public static Object readOn(Object object, int slot, int asked) {
        if (object == null) return null;
        Element field = fieldOf(object, slot, asked);
        int kind = field.slot & KIND;
        if (kind < CH_PLACE_OBJECT) return field;
        if (kind > CH_PLACE_ARRAY) return NOTHING;
        return U.getReference(object, field.at);
    }

    /** The collection whose size is that of this one. */
    public static Object unwrapped(Object object, int slot, int asked) {
        if (object == null) return null;
        for (int depth = 1; ; depth++) {
            Element field = fieldOf(object, slot, asked);
            if ((field.slot & KIND) != CH_PLACE_WRAPPED) return object;
            if (depth > DEEPEST) return UNSURE;
            object = U.getReference(object, field.at);
            if (object == null) return NOTHING;
        }
    }

    /** A whole number of any type. */
    static long whole(Object object, Element field, int kind) {
        if (kind == CH_PLACE_BYTE) return U.getByte(object, field.at);
        if (kind == CH_PLACE_CHAR) return U.getChar(object, field.at);
        if (kind == CH_PLACE_SHORT) return U.getShort(object, field.at);
        if (kind == CH_PLACE_INT) return U.getInt(object, field.at);
        if (kind == CH_PLACE_LONG) return U.getLong(object, field.at);
        if (kind == CH_PLACE_STRING_LENGTH) return ((String) object).length();
        return Array.getLength(object);
    }

    /** A double or float. */
    static double real(Object object, Element field, int kind) {
        if (kind == CH_PLACE_DOUBLE) return U.getDouble(object, field.at);
        return U.getFloat(object, field.at);
    }

    /** True if this is an object of a wrapper class of whole numbers. */
    static boolean isWhole(Object value) {
        return value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte;
    }

    /** The slot of the key that a field of this object has. A value that is neither an object nor a whole number of a
     * primitive type is left to the agent, which begins at the root. */
    public static int keyBehind(Object root, Object object, int asked, int slot) {
        if (object != null) {
            Element field = fieldOf(object, slot, asked);
            int kind = field.slot & KIND;
            if (kind > CH_PLACE_ARRAY) {
                if (kind != CH_PLACE_WRAPPED
                        && kind != CH_PLACE_BOOLEAN
                        && kind != CH_PLACE_CHAR
                        && kind != CH_PLACE_FLOAT
                        && kind != CH_PLACE_DOUBLE) return keyNumber(whole(object, field, kind), slot);
            } else if (kind >= CH_PLACE_OBJECT) {
                Object value = U.getReference(object, field.at);
                if (value != null) return keyFound(value, slot);
            }
        }
        return key(root, slot);
    }

    /** Records a number that a field of this object has. A value that is not a number is left to the agent, which
     * begins at the root. */
    public static void valueBehind(Object root, Object object, int asked, int first, int slot) {
        if (object != null) {
            Element field = fieldOf(object, first, asked);
            int kind = field.slot & KIND;
            if (kind > CH_PLACE_ARRAY) {
                if (kind == CH_PLACE_FLOAT || kind == CH_PLACE_DOUBLE) {
                    valueReal(real(object, field, kind), slot);
                    return;
                }
                if (kind != CH_PLACE_WRAPPED && kind != CH_PLACE_BOOLEAN && kind != CH_PLACE_CHAR) {
                    value(whole(object, field, kind), slot);
                    return;
                }
            } else if (kind == CH_PLACE_OBJECT) {
                Object value = U.getReference(object, field.at);
                if (isWhole(value)) {
                    value(((Number) value).longValue(), slot);
                    return;
                }
            }
        }
        valueIn(root, first, slot);
    }

    static void link(int slot) {
        placeOf(null, slot, 0);
    }
}
