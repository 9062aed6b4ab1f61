import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;

/** Work whose place a look at safepoints misses: in inlined methods, in native code, in the JVM's own threads. */
public class Ticks {
    static final long MS = 1_000_000;
    static int kept;

    /** Divisions, which no safepoint interrupts. */
    static int divide(int n) {
        for (int i = 0; i < 40; i++) n = 1_000_000_007 / (n | 1) + i;
        return n;
    }

    static int shift(int n) {
        return n >> 3 ^ n;
    }

    static void work(long ms) {
        long end = System.nanoTime() + ms * MS;
        while (System.nanoTime() < end) for (int i = 0; i < 10_000; i++) kept += shift(divide(kept + i));
    }

    static void compress(long ms) throws Exception {
        byte[] bytes = new byte[1 << 20];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31 >> 4);
        for (long end = System.nanoTime() + ms * MS; System.nanoTime() < end; )
            try (DeflaterOutputStream out = new DeflaterOutputStream(new ByteArrayOutputStream())) {
                out.write(bytes);
            }
    }

    /** Lists that live long enough to be copied by the collector. */
    static void collect(long ms) {
        List<Object> live = new ArrayList<>();
        for (long end = System.nanoTime() + ms * MS; System.nanoTime() < end; ) {
            for (int i = 0; i < 200_000; i++) live.add(new int[8]);
            if (live.size() > 1_000_000) live.clear();
        }
        kept += live.size();
    }

    public static void main(String[] args) throws Exception {
        work(1500);
        compress(800);
        collect(800);
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println(system.getProcessCpuTime() + (kept == 0 ? 1 : 0));
    }
}
