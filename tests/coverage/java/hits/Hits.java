import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** Counts the probes that the tests weave, and writes the counts to the file `hits.file` when the program ends. */
public class Hits {
    static final long[] COUNTS = new long[1 << 16];

    static {
        Runtime.getRuntime().addShutdownHook(new Thread() {
            @Override
            public void run() {
                write();
            }
        });
    }

    static void write() {
        try (DataOutputStream out = new DataOutputStream(new FileOutputStream(System.getProperty("hits.file")))) {
            for (long count : COUNTS) {
                out.writeLong(count);
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    public static void hit(int probe) {
        COUNTS[probe]++;
    }
}
