import java.nio.file.Files;
import java.nio.file.Path;

/** Does one thing WARM times, then MORE times, and prints how much memory was resident before and after the latter, in KB. */
final class Resident {
    private static final int AT_ONCE = 20, BETWEEN_COLLECTIONS = 200;
    private static byte[] same;

    static void call() {
    }

    static void work() {
        for (int i = 0; i < 10; i++) call();
    }

    static void threads(int n) throws InterruptedException {
        Thread[] threads = new Thread[AT_ONCE];
        for (int done = 0; done < n; done += AT_ONCE) {
            for (int i = 0; i < AT_ONCE; i++) (threads[i] = new Thread(Resident::work)).start();
            for (Thread t : threads) t.join();
        }
    }

    static void copies(int n) {
        for (int i = 0; i < n; i++) {
            new Foundry().define(same).applyAsInt(10);
            if (i % BETWEEN_COLLECTIONS == 0) System.gc();
        }
    }

    static void distinct(int first, int n) {
        for (int i = 0; i < n; i++) {
            new Foundry().make(first + i).applyAsInt(10);
            if (i % BETWEEN_COLLECTIONS == 0) System.gc();
        }
    }

    private static void run(String what, int first, int n) throws InterruptedException {
        if (what.equals("threads")) threads(n);
        if (what.equals("copies")) copies(n);
        if (what.equals("distinct")) distinct(first, n);
        System.gc();
    }

    private static String resident() throws Exception {
        StringBuilder text = new StringBuilder();
        for (String line : Files.readAllLines(Path.of("/proc/self/status")))
            if (line.startsWith("VmRSS") || line.startsWith("RssAnon") || line.startsWith("RssShmem"))
                text.append(line.replaceAll("\\s+|kB", "")).append(' ');
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        int warm = Integer.parseInt(args[1]), more = Integer.parseInt(args[2]);
        same = Foundry.bytes(1);
        resident();
        run(args[0], 1, warm);
        String before = resident();
        run(args[0], warm + 1, more);
        System.out.println(before);
        System.out.println(resident());
    }
}
