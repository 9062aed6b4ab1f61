package java.lang;

import static java.lang.Fields.*;
import static java.lang.Header.*;
import static java.lang.Starting.U;

/** Comparisons of what a field has with a constant, for conditions. Each returns 1 if `asked` has the bit of the
 * outcome (native/classhook.h), which is a constant wherever it is returned: in compiled code, a condition is a jump
 * then. */
final class Comparisons {
    public static int isNull(Object object, int slot, int asked) {
        if (object == null) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
        Element field = fieldOf(object, slot, asked);
        int kind = field.slot & KIND;
        if (kind > CH_PLACE_ARRAY) {
            if (kind == CH_PLACE_WRAPPED) return unread(kind, asked);
        } else {
            if (kind < CH_PLACE_OBJECT) return unread(kind, asked);
            if (U.getReference(object, field.at) == null) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
        }
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
    }

    public static int isTrue(Object object, int slot, int asked) {
        if (object != null) {
            Element field = fieldOf(object, slot, asked);
            int kind = field.slot & KIND;
            boolean is;
            if (kind == CH_PLACE_BOOLEAN) {
                is = U.getBoolean(object, field.at);
            } else {
                if (kind > CH_PLACE_ARRAY || kind < CH_PLACE_OBJECT) return unread(kind, asked);
                Object value = U.getReference(object, field.at);
                if (value == null) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
                if (kind != CH_PLACE_OBJECT) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_NOTHING & 1;
                if (!(value instanceof Boolean)) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                is = (Boolean) value;
            }
            if (is) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
            return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_LESS & 1;
        }
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
    }

    /** A constant of an enum by its name, a char as a text of one. */
    public static int isText(Object object, String text, int slot, int asked) {
        if (object != null) {
            Element field = fieldOf(object, slot, asked);
            int kind = field.slot & KIND;
            if (kind == CH_PLACE_CHAR) {
                if (text.length() == 1 && text.charAt(0) == U.getChar(object, field.at))
                    return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
            } else {
                if (kind > CH_PLACE_ARRAY || kind < CH_PLACE_OBJECT) return unread(kind, asked);
                Object value = U.getReference(object, field.at);
                if (value != null) {
                    if (kind != CH_PLACE_STRING) {
                        if (kind == CH_PLACE_ARRAY) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_NOTHING & 1;
                        if (!(value instanceof String)) {
                            if (!(value instanceof Enum)) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                            value = ((Enum<?>) value).name();
                        }
                    }
                    if (text.equals(value)) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
                }
            }
        }
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
    }

    /** Exactly, whatever the field's type. */
    public static int isNumber(Object object, long number, int slot, int asked) {
        if (object != null) {
            Element field = fieldOf(object, slot, asked);
            int kind = field.slot & KIND;
            long value;
            if (kind > CH_PLACE_ARRAY) {
                if (kind == CH_PLACE_WRAPPED || kind == CH_PLACE_BOOLEAN) return unread(kind, asked);
                if (kind == CH_PLACE_FLOAT || kind == CH_PLACE_DOUBLE) {
                    if ((long) (double) number != number) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                    return compared(real(object, field, kind), (double) number, asked);
                }
                value = whole(object, field, kind);
            } else {
                if (kind < CH_PLACE_OBJECT) return unread(kind, asked);
                Object boxed = U.getReference(object, field.at);
                if (boxed == null) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
                if (kind != CH_PLACE_OBJECT) return unread(kind, asked);
                if (!isWhole(boxed)) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                value = ((Number) boxed).longValue();
            }
            if (value < number) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_LESS & 1;
            if (value == number) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
            return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_GREATER & 1;
        }
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
    }

    public static int isReal(Object object, double number, int slot, int asked) {
        if (object != null) {
            Element field = fieldOf(object, slot, asked);
            int kind = field.slot & KIND;
            if (kind > CH_PLACE_ARRAY) {
                if (kind == CH_PLACE_WRAPPED || kind == CH_PLACE_BOOLEAN) return unread(kind, asked);
                if (kind == CH_PLACE_FLOAT || kind == CH_PLACE_DOUBLE)
                    return compared(real(object, field, kind), number, asked);
                // a double may not have its value
                if (kind == CH_PLACE_LONG) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                return compared((double) whole(object, field, kind), number, asked);
            }
            if (kind < CH_PLACE_OBJECT) return unread(kind, asked);
            if (U.getReference(object, field.at) != null) {
                if (kind == CH_PLACE_OBJECT) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
                return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_NOTHING & 1;
            }
        }
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
    }

    /** NaN is in no order. */
    static int compared(double value, double number, int asked) {
        if (value != value) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_OTHER & 1;
        if (value > number) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_GREATER & 1;
        if (value == number) return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_EQUAL & 1;
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_LESS & 1;
    }

    /** For what a comparison cannot read, and for what it knows nothing of. */
    static int unread(int kind, int asked) {
        if (kind == CH_PLACE_UNSURE || kind == CH_PLACE_WRAPPED)
            return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_UNSURE & 1;
        return asked >>> CH_ASKED_OUTCOMES >>> CH_IS_NOTHING & 1;
    }
}
