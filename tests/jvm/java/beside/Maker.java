import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A loader that makes classes Made0000, Made0001 and so on, in lines of six: the first copies Made0000, each other extends the one before. */
class Maker extends Own {
    static {
        registerAsParallelCapable();
    }

    static final int LINE = 6;

    Maker(ClassLoader parent, String... own) {
        super(parent, own);
    }

    static String name(int number) {
        return String.format("Made%04d", number);
    }

    static int number(String name) {
        return Integer.parseInt(name.substring(4));
    }

    static boolean isMade(String name) {
        return name.startsWith("Made");
    }

    @Override
    byte[] bytes(String name) {
        if (!isMade(name)) return super.bytes(name);
        int number = number(name);
        boolean first = number % LINE == 0;
        byte[] made = super.bytes(first ? "Made0000" : "Made0001"), old = made.clone();
        replace(old, made, "Made0000", first ? name : name(number - 1));
        if (!first) replace(old, made, "Made0001", name);
        return made;
    }

    private static void replace(byte[] from, byte[] to, String before, String after) {
        byte[] sought = before.getBytes(StandardCharsets.US_ASCII), put = after.getBytes(StandardCharsets.US_ASCII);
        for (int at = 0; at <= from.length - sought.length; at++) {
            if (Arrays.equals(from, at, at + sought.length, sought, 0, sought.length)) System.arraycopy(put, 0, to, at, put.length);
        }
    }
}
