package java.lang;

import static java.lang.Coverage.*;
import static java.lang.Events.*;
import static java.lang.Starting.MASK;

import java.lang.ref.WeakReference;
import jdk.internal.vm.annotation.DontInline;

/** Calls that are watched one by one (`watch`, `slowest`; native/watch/); WatchingLines has lines and writes.
 *
 * A method that woven code calls calls the native itself: the agent leaves so many frames out of a stack. */
final class Watching {
    static native long watchBegins(Object[] array, int slot);

    static native void watchEnds(Object result, Object[] array, int slot, boolean thrown, long began);

    /** An array for an activation; null, if none is watched any more: SEEN says so. */
    public static Object[] watching(int length, int slot) {
        try {
            byte[] part = SEEN[(slot & MASK) >>> SEEN_SHIFT];
            if (part == null || part[slot & SEEN_LAST] == 0) return new Object[length];
            return null;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    /** Returns the array with the time when the activation began as its last element; null if it is not to be watched.
     * The others take it where the activation ends. */
    @DontInline
    public static Object[] begun(Object[] array, int slot) {
        try {
            long began = watchBegins(array, slot);
            if (began > 0) {
                array[array.length - 1] = began;
                return array;
            }
            if (began < 0) seen(slot);
            return null;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    /** Behind begun: the array without what it must not keep alive. An object of which only the class is shown becomes
     * its class; one that is read at the end (bit i of `read`, the last bit for all further ones), or an array, becomes
     * a weak reference. Values stay. */
    public static Object[] released(Object[] array, int read) {
        if (array != null) {
            for (int i = 0; i < array.length - 1; i++) {
                array[i] = lighter(array[i], read & 1);
                read >>= 1;
            }
        }
        return array;
    }

    static Object lighter(Object object, int read) {
        try {
            if (object == null
                    || object instanceof String
                    || object instanceof Integer
                    || object instanceof Long
                    || object instanceof Boolean
                    || object instanceof Double
                    || object instanceof Enum
                    || object instanceof Character
                    || object instanceof Float
                    || object instanceof Short
                    || object instanceof Byte) return object;
            if (read == 0) {
                Class<?> type = object.getClass();
                if (!type.isArray()) return type;
            }
            return new WeakReference<>(object);
        } catch (Throwable refused) { // a value object, to which there are no references; no memory
            return object;
        }
    }

    public static void constructed(Object[] array, Object object) {
        if (array != null) array[0] = object;
    }

    /** Returns the array, or null if nothing holds. */
    public static Object[] onlyIf(int holds, Object[] array) {
        if (holds != 0) return array;
        return null;
    }

    public static void watched(Object result, Object[] array, int slot) {
        if (array != null) watchEnds(result, array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedThrown(Object thrown, Object[] array, int slot) {
        if (array != null) watchEnds(thrown, array, slot, true, (Long) array[array.length - 1]);
    }

    public static void watchedZ(boolean result, Object[] array, int slot) {
        if (array != null) watchEnds(boxBoolean(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedB(byte result, Object[] array, int slot) {
        if (array != null) watchEnds(boxByte(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedC(char result, Object[] array, int slot) {
        if (array != null) watchEnds(boxChar(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedS(short result, Object[] array, int slot) {
        if (array != null) watchEnds(boxShort(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedI(int result, Object[] array, int slot) {
        if (array != null) watchEnds(boxInt(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedJ(long result, Object[] array, int slot) {
        if (array != null) watchEnds(boxLong(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedF(float result, Object[] array, int slot) {
        if (array != null) watchEnds(boxFloat(result), array, slot, false, (Long) array[array.length - 1]);
    }

    public static void watchedD(double result, Object[] array, int slot) {
        if (array != null) watchEnds(boxDouble(result), array, slot, false, (Long) array[array.length - 1]);
    }

    static void link(int slot) {
        watchBegins(null, slot);
        watchEnds(null, null, slot, false, 0);
    }
}
