import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Allocates known objects, and keeps known ones: see test_objects.py. Arguments: what to do, one after the other. */
public final class Keeps {
    static final List<Object> KEPT = new ArrayList<>(100_000);

    static final class Item {
        long a, b, c;
    }

    static Item item() {
        return new Item();
    }

    static byte[] bytes() {
        return new byte[1000];
    }

    static byte[] shared() {
        return new byte[100];
    }

    static void often() {
        for (int i = 0; i < 9000; i++) keep(shared(), i % 3 == 0);
    }

    static void rarely() {
        for (int i = 0; i < 3000; i++) keep(shared(), true);
    }

    static void keep(Object o, boolean wanted) {
        if (wanted) KEPT.add(o);
    }

    /** Eight places, each of which keeps another part of what it allocates. */
    static void places(int n) {
        for (int i = 0; i < n; i++) {
            keep(new byte[40], false);
            keep(new short[40], i % 8 < 1);
            keep(new char[40], i % 8 < 2);
            keep(new int[40], i % 8 < 4);
            keep(new long[40], i % 8 < 6);
            keep(new float[40], i % 8 < 7);
            keep(new double[40], true);
            keep(new boolean[4000], i % 8 < 4);
        }
    }

    /** A stack for each number below 2^depth: more than there is room for. */
    static void left(int depth, int path) {
        if (depth == 0) shared();
        else if ((path & 1) == 0) left(depth - 1, path >> 1);
        else right(depth - 1, path >> 1);
    }

    static void right(int depth, int path) {
        left(depth, path);
    }

    static void say(String word) {
        System.out.println(word);
        System.out.flush();
    }

    static void run(String what) throws IOException, InterruptedException {
        switch (what) {
            case "some" -> {
                for (int i = 0; i < 20_000; i++) keep(item(), i % 4 == 0);
                for (int i = 0; i < 2_000; i++) keep(bytes(), i % 2 == 0);
                for (int i = 0; i < 1_000; i++) keep(new int[i % 3 + 1][4], i % 5 == 0);
            }
            case "ways" -> {
                often();
                rarely();
            }
            case "places" -> places(20_000);
            case "strings" -> {
                for (int i = 0; i < 1_000; i++) KEPT.add(new StringBuilder().append("number ").append(i).toString());
            }
            case "stacks" -> {
                for (int i = 0; i < 80_000; i++) left(17, i);
            }
            case "virtually" -> {
                Thread[] all = new Thread[10];
                for (int i = 0; i < all.length; i++) {
                    try {
                        Object made = Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) Keeps::inThread);
                        all[i] = (Thread) made;
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                }
                for (Thread one : all) one.join();
            }
            case "threads" -> {
                Thread[] all = new Thread[10];
                for (int i = 0; i < all.length; i++) (all[i] = new Thread(Keeps::inThread)).start();
                for (Thread one : all) one.join();
            }
            case "drop" -> KEPT.clear();
            case "gc" -> System.gc();
            case "wait" -> {
                say("ready");
                System.in.read();
            }
            case "kill" -> {
                say("ready");
                Thread.sleep(1_000_000);
            }
            default -> throw new IllegalArgumentException(what);
        }
    }

    static void inThread() {
        for (int i = 0; i < 100; i++) {
            Item made = item();
            if (i % 2 == 0) {
                synchronized (KEPT) {
                    KEPT.add(made);
                }
            }
        }
    }

    public static void main(String[] words) throws Exception {
        for (String word : words) run(word);
    }
}
