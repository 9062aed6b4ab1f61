import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;

/**
 * THREADS threads start at the same time to load CLASSES classes, each in a different order; then each class is made and called once.
 * `slow`: by a loader that is slow for names that are not its own; `nested`: by one that, asked for an unknown name, first loads two
 * classes of its own and one of its parent's; `ring`: by three loaders, each of which gets its superclasses from the next; `ranks`: by
 * six loaders that are not parallel capable, each of which gets superclasses from the one before.
 */
final class Crowd {
    private static final long PATIENCE = 30_000;

    /** The loader of a made class. */
    interface Where {
        Own loader(int number);
    }

    static final class Slow extends Maker {
        static {
            registerAsParallelCapable();
        }

        Slow(String... own) {
            super(Crowd.class.getClassLoader(), own);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!owns(name)) pause();
            return super.loadClass(name, resolve);
        }
    }

    static final class Nested extends Maker {
        static {
            registerAsParallelCapable();
        }

        private static final Set<String> KNOWN = Set.of("java.lang.Object", "java.lang.Runnable");
        private final ThreadLocal<Set<String>> busy = ThreadLocal.withInitial(HashSet::new);

        Nested(String... own) {
            super(Crowd.class.getClassLoader(), own);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            Set<String> mine = busy.get();
            boolean first = mine.add(name);
            try {
                // this thread is already defining the class
                if (!owns(name) && !KNOWN.contains(name) && !mine.contains("Second") && !mine.contains("Guest")) {
                    pause();
                    Unheard.of(name);
                    loadClass("Second");
                }
                return super.loadClass(name, resolve);
            } finally {
                if (first) mine.remove(name);
            }
        }
    }

    /** Loaded when an unknown name is first asked for; without classhook, that is when `main` calls it. */
    static final class Unheard {
        static void of(String name) {
        }
    }

    /** Asks another loader for the classes that it makes. */
    static class Bundle extends Maker {
        static {
            registerAsParallelCapable();
        }

        private final Where where;

        Bundle(Where where, String... own) {
            super(Crowd.class.getClassLoader(), own);
            this.where = where;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (isMade(name) && !owns(name)) return where.loader(number(name)).loadClass(name);
            if (!owns(name)) pause();
            return super.loadClass(name, resolve);
        }
    }

    /** Not registered. */
    static final class Plain extends Bundle {
        Plain(Where where, String... own) {
            super(where, own);
        }
    }

    static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String[] names(int classes, int loaders, int loader) {
        return IntStream.range(0, classes).filter(i -> i % loaders == loader).mapToObj(Maker::name).toArray(String[]::new);
    }

    private static String[] and(String[] names, String... more) {
        List<String> all = new ArrayList<>(List.of(names));
        all.addAll(List.of(more));
        return all.toArray(new String[0]);
    }

    private static Where where(String how, int classes) {
        int n = how.equals("ring") ? 3 : how.equals("ranks") ? Maker.LINE : 1;
        Own[] loaders = new Own[n];
        Where where = number -> loaders[number % n];
        for (int i = 0; i < n; i++) {
            String[] names = names(classes, n, i);
            loaders[i] = switch (how) {
                case "slow" -> new Slow(names);
                case "nested" -> new Nested(and(names, "Guest", "Second"));
                case "ring" -> new Bundle(where, names);
                case "ranks" -> new Plain(where, names);
                default -> throw new IllegalArgumentException(how);
            };
        }
        return where;
    }

    private static void load(Where where, int first, int classes, CyclicBarrier begin) {
        try {
            begin.await();
            for (int i = 0; i < classes; i++) {
                int number = (first + i) % classes;
                where.loader(number).loadClass(Maker.name(number));
            }
        } catch (InterruptedException | BrokenBarrierException | ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(List<Thread> threads) throws InterruptedException {
        long end = System.currentTimeMillis() + PATIENCE;
        for (Thread t : threads) t.join(Math.max(1, end - System.currentTimeMillis()));
        boolean stuck = false;
        for (Thread t : threads) {
            if (!t.isAlive()) continue;
            stuck = true;
            System.out.println(t.getName() + " is stuck:");
            for (StackTraceElement frame : t.getStackTrace()) System.out.println("    at " + frame);
        }
        if (stuck) System.exit(3);
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]), classes = Integer.parseInt(args[2]);
        Where where = where(args[0], classes);
        CyclicBarrier begin = new CyclicBarrier(n);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int first = i * classes / n;
            Thread thread = new Thread(() -> load(where, first, classes, begin), "loading " + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        for (Thread t : threads) t.start();
        await(threads);
        for (int i = 0; i < classes; i++) where.loader(i).make(Maker.name(i)).run();
        if (args[0].equals("nested")) {
            where.loader(0).make("Second").run();
            for (int i = 0; i < 5; i++) Unheard.of("x");
        }
        System.out.println("done");
    }
}
