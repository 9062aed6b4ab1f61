import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import com.sun.management.HotSpotDiagnosticMXBean;

/** Makes so many objects, and has them dumped to a file if one is named: it prints how long that took in ms. */
public class Objects {
    record Pair(String name, Object next) {}

    static List<Object> kept = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]) / 3;
        for (int i = 0; i < n; i++) kept.add(new Pair("name " + i, kept)); // a pair, a string and its bytes
        long start = System.nanoTime();
        if (args.length > 1) ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(args[1], true);
        System.out.println((System.nanoTime() - start) / 1e6);
    }
}
