import java.io.IOException;

/** Copies its input to its output, byte by byte; prints its arguments on stderr; the first one is its exit status. */
final class Echo {
    static byte changed(byte b) {
        return (byte) (b ^ 0x55);
    }

    public static void main(String[] args) throws IOException {
        byte[] all = System.in.readAllBytes();
        for (int i = 0; i < all.length; i++) all[i] = changed(all[i]);
        System.out.write(all);
        System.out.flush();
        System.err.println(String.join("|", args));
        System.exit(Integer.parseInt(args[0]));
    }
}
