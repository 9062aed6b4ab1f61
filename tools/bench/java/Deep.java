import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** A fixed amount of work below so many frames; prints the CPU time in ns that it took its thread, and then that of the agent's sampler. */
public class Deep {
    static volatile long sink;

    static void work(int rounds) {
        for (int i = 0; i < rounds; i++) sink = spin(sink);
    }

    static long spin(long x) {
        for (int i = 0; i < 20_000; i++) x = x * 31 + (x >>> 7);
        return x;
    }

    static void a(int frames, int rounds) {
        if (frames <= 0) work(rounds);
        else b(frames - 1, rounds);
    }

    static void b(int frames, int rounds) {
        if (frames <= 0) work(rounds);
        else c(frames - 1, rounds);
    }

    static void c(int frames, int rounds) {
        if (frames <= 0) work(rounds);
        else a(frames - 1, rounds);
    }

    static long samplers() throws Exception {
        try (var threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : (Iterable<Path>) threads::iterator)
                if (Files.readString(thread.resolve("comm")).strip().equals("classhook cpu"))
                    return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        int frames = Integer.parseInt(args[0]), rounds = Integer.parseInt(args[1]);
        for (int i = 0; i < 2_000; i++) a(frames, 1);
        var clock = ManagementFactory.getThreadMXBean();
        long own = clock.getCurrentThreadCpuTime(), other = samplers();
        a(frames, rounds);
        System.out.println((clock.getCurrentThreadCpuTime() - own) + " " + (samplers() - other));
    }
}
