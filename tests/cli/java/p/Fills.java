package p;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Fills the given folder, then loads classes and starts threads. */
public class Fills {
    static int step(int i) {
        return i + 1;
    }

    public static void main(String[] args) throws Exception {
        int n = 0;
        for (int i = 0; i < 1000; i++) n = step(n);
        try (OutputStream filler = new FileOutputStream(args[0] + "/filler")) {
            byte[] piece = new byte[1 << 20];
            while (true) filler.write(piece);
        } catch (IOException e) {
            System.out.println("full");
        }
        Many.main(new String[] {"20", "8"});
        for (int i = 0; i < 1000; i++) n = step(n);
        System.out.println(n);
    }
}
