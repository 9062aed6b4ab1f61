import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The `around` of Floor.java with critical downcalls of java.lang.foreign in place of native methods. Prints nanoseconds a call, of the fastest batch;
 * with `setup` the milliseconds that it took to prepare such a call. */
public class FloorOfDowncalls {
    static final int CALLS = 20_000, BATCHES = 400;
    static final MethodHandle READING;
    static final double SETUP;
    static int guard;

    static {
        long began = System.nanoTime();
        var function = SymbolLookup.libraryLookup(Path.of(System.getProperty("library")), Arena.global()).find("ch_reading").orElseThrow();
        var type = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        READING = Linker.nativeLinker().downcallHandle(function, type, Linker.Option.critical(false));
        SETUP = (System.nanoTime() - began) / 1e6;
    }

    static void empty(int i) { if (i < 0) guard++; }

    static void around() throws Throwable {
        for (int i = 0; i < CALLS; i++) {
            int x = (int) READING.invokeExact(i);
            empty(x);
            guard += (int) READING.invokeExact(x) - x;
        }
    }

    public static void main(String[] args) throws Throwable {
        if (args.length > 0) {
            System.out.printf(java.util.Locale.ROOT, "%.3f%n", SETUP);
            return;
        }
        double best = Double.MAX_VALUE;
        for (int i = 0; i < BATCHES * 3 / 2; i++) {
            long began = System.nanoTime();
            around();
            best = Math.min(best, (double) (System.nanoTime() - began) / CALLS);
        }
        System.out.printf(java.util.Locale.ROOT, "%.3f%n", best);
    }
}
