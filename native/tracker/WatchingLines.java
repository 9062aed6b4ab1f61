package java.lang;

import static java.lang.Coverage.seen;
import static java.lang.Events.*;
import static java.lang.Watching.watching;

/** Lines and writes that are watched one by one (native/watch/). With null in place of an array, methods do nothing, so
 * the code at a line needs no jump. */
final class WatchingLines {
    static native boolean watchLine(Object[] array, int slot);

    /** The same as watching, but null if nothing holds. */
    public static Object[] watchingIf(int holds, int length, int slot) {
        if (holds != 0) return watching(length, slot);
        return null;
    }

    /** Tells the agent of the array. */
    public static void passed(Object[] array, int slot) {
        if (array != null && watchLine(array, slot)) seen(slot);
    }

    public static void keep(Object[] array, int index, Object value) {
        if (array != null) array[index] = value;
    }

    public static void keepZ(Object[] array, int index, boolean value) {
        if (array != null) array[index] = boxBoolean(value);
    }

    public static void keepB(Object[] array, int index, byte value) {
        if (array != null) array[index] = boxByte(value);
    }

    public static void keepC(Object[] array, int index, char value) {
        if (array != null) array[index] = boxChar(value);
    }

    public static void keepS(Object[] array, int index, short value) {
        if (array != null) array[index] = boxShort(value);
    }

    public static void keepI(Object[] array, int index, int value) {
        if (array != null) array[index] = boxInt(value);
    }

    public static void keepJ(Object[] array, int index, long value) {
        if (array != null) array[index] = boxLong(value);
    }

    public static void keepF(Object[] array, int index, float value) {
        if (array != null) array[index] = boxFloat(value);
    }

    public static void keepD(Object[] array, int index, double value) {
        if (array != null) array[index] = boxDouble(value);
    }

    /** Puts both into the array and tells the agent. */
    public static void write(Object object, Object value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = value;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeZ(Object object, boolean value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxBoolean(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeB(Object object, byte value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxByte(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeC(Object object, char value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxChar(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeS(Object object, short value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxShort(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeI(Object object, int value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxInt(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeJ(Object object, long value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxLong(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeF(Object object, float value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxFloat(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void writeD(Object object, double value, Object[] array, int slot) {
        if (array != null) {
            array[0] = object;
            array[1] = boxDouble(value);
            if (watchLine(array, slot)) seen(slot);
        }
    }

    /** The same as write, where there is no object: the array's first element is the array itself then. */
    public static void wrote(Object value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = value;
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteZ(boolean value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxBoolean(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteB(byte value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxByte(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteC(char value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxChar(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteS(short value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxShort(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteI(int value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxInt(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteJ(long value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxLong(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteF(float value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxFloat(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    public static void wroteD(double value, Object old, Object[] array, int slot) {
        if (array != null) {
            array[0] = array;
            array[1] = boxDouble(value);
            array[2] = old;
            if (watchLine(array, slot)) seen(slot);
        }
    }

    static void link(int slot) {
        watchLine(null, slot);
    }
}
