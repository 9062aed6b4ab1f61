package java.lang;

import static java.lang.Counting.count;
import static java.lang.Timing.isBelow;

import jdk.internal.vm.annotation.DontInline;

/** Keys and values of calls (`by`, `value`): which slot a key has (native/watch/keys.c, values.c). */
final class Keys {
    /** log2 of the number of keys that KNOWN has room for. */
    static final int KNOWN_SHIFT = 12;
    /** Slots of strings and constants of enums: a call of a native takes longer than all else, and so does to look at
     * an object there. An element stays as long as its object is used. */
    static final Element[] KNOWN = new Element[1 << KNOWN_SHIFT];

    public static native int key(Object value, int slot);

    public static native void keyPart(Object value, int slot);

    public static native int keyNumber(long value, int slot);

    public static native void value(long value, int slot);

    public static native void valueIn(Object object, int first, int slot);

    public static native void valueOf(Object result, Object[] roots, int first, int slot);

    public static native void valueReal(double value, int slot);

    static native int keyOfValue(Object value, int slot);

    /** The slot of a key that is one object. */
    public static int keyOf(Object value, int slot) {
        int place;
        if (value instanceof String) place = ((String) value).hashCode();
        else if (value instanceof Enum) place = System.identityHashCode(value);
        else return key(value, slot);
        place = (place ^ place >>> KNOWN_SHIFT ^ slot * 31) & (1 << KNOWN_SHIFT) - 1;
        Element known = KNOWN[place];
        if (known != null
                && known.slot == slot
                && (known.get() == value || value instanceof String && ((String) value).equals(known.get()))) {
            count(slot);
            return known.key;
        }
        return keyOfAnew(value, slot, place);
    }

    // The same for calls that count only below others, or only elsewhere, where a call ends.

    public static void countKeyBelow(Object value, int slot) {
        if (isBelow(slot)) count(key(value, slot));
    }

    public static void countKeyOfBelow(Object value, int slot) {
        if (isBelow(slot)) count(keyOf(value, slot));
    }

    public static void countKeyNumberBelow(long value, int slot) {
        if (isBelow(slot)) count(keyNumber(value, slot));
    }

    /** The slot of a key that is a value that code found in a field (Fields). */
    static int keyFound(Object value, int slot) {
        int place;
        if (value instanceof String) place = ((String) value).hashCode();
        else if (value instanceof Enum) place = System.identityHashCode(value);
        else return keyOfValue(value, slot);
        place = (place ^ place >>> KNOWN_SHIFT ^ slot * 31) & (1 << KNOWN_SHIFT) - 1;
        Element known = KNOWN[place];
        if (known != null
                && known.slot == slot
                && (known.get() == value || value instanceof String && ((String) value).equals(known.get()))) {
            count(slot);
            return known.key;
        }
        return keyFoundAnew(value, slot, place);
    }

    @DontInline
    static int keyOfAnew(Object value, int slot, int place) {
        try {
            return noted(value, slot, place, key(value, slot));
        } catch (Throwable noMemory) { // for an element: among the others
            return slot + 1;
        }
    }

    @DontInline
    static int keyFoundAnew(Object value, int slot, int place) {
        try {
            return noted(value, slot, place, keyOfValue(value, slot));
        } catch (Throwable noMemory) {
            return slot + 1;
        }
    }

    /** Notes the slot of a key, unless the key is among the others (CH_KEYED_OTHERS): it may get a slot later. */
    static int noted(Object value, int slot, int place, int key) {
        if (key - slot != 1) {
            Element known = KNOWN[place];
            if (known == null || known.get() == null) KNOWN[place] = new Element(value, slot, key);
        }
        return key;
    }

    static void link(int slot) {
        keyPart(null, -1);
        key(null, -1);
        keyOfValue(null, -1);
        keyNumber(0, -1);
    }
}
