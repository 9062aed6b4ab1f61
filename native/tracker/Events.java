package java.lang;

/** The arguments of handlers: an array for arguments, objects for numbers. The natives are in native/events/. */
final class Events {
    /** A byte for each slot, which is set once a native has found that no handler of the slot is on: then the native is
     * not called, and what is left of the probe costs next to nothing in compiled code. When a handler is turned on,
     * there is another array. The field is volatile: compiled loops look at it again. */
    static volatile byte[] SILENT;

    public static native long now();

    static native void entered0(int slot, Object object, Object[] arguments);

    static native void left0(Object result, int slot, long began, Object object, Object[] arguments);

    static native void threw0(Object thrown, int slot, long began, Object object, Object[] arguments);

    public static void entered(int slot, Object object, Object[] arguments) {
        byte[] silent = SILENT;
        if (silent == null || slot < 0 || slot >= silent.length || silent[slot] == 0) entered0(slot, object, arguments);
    }

    public static void left(Object result, int slot, long began, Object object, Object[] arguments) {
        byte[] silent = SILENT;
        if (silent == null || slot < 0 || slot >= silent.length || silent[slot] == 0)
            left0(result, slot, began, object, arguments);
    }

    public static void threw(Object thrown, int slot, long began, Object object, Object[] arguments) {
        byte[] silent = SILENT;
        if (silent == null || slot < 0 || slot >= silent.length || silent[slot] == 0)
            threw0(thrown, slot, began, object, arguments);
    }

    public static Object[] array(int length) {
        return new Object[length];
    }

    // Without memory for the object, the program goes on.

    public static Object boxBoolean(boolean value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxByte(byte value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxChar(char value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxShort(short value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxInt(int value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxLong(long value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxFloat(float value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    public static Object boxDouble(double value) {
        try {
            return value;
        } catch (Throwable noMemory) {
            return null;
        }
    }

    static void link(int slot) {
        now();
        entered0(slot, null, null);
        left0(null, slot, 0, null, null);
        threw0(null, slot, 0, null, null);
    }
}
