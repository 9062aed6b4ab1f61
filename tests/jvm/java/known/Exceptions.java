package known;

/** Exceptions thrown, passed on, caught, thrown again; in finally blocks; by the JVM itself. Most loops run over 0..8, of which 6 throw. */
final class Exceptions {
    static int ticks;

    static void run() throws Exception { // calls 1
        int sum = 0;
        for (int n = 0; n < 9; n++) {
            try {
                passes(n);
            } catch (IllegalStateException e) {
                sum++;
            }
            sum += catches(n) ? 10 : 20;
            sum += finallyReturns(n);
            try {
                sum += finallyTicks(n);
            } catch (IllegalStateException e) {
                sum += 1000;
            }
            try {
                rethrows(n);
            } catch (Exception e) {
                sum += e.getMessage().length() + e.getCause().getMessage().length();
            }
            try {
                sum += finallyThrows(n);
            } catch (RuntimeException e) {
                sum += 7;
            }
            sum += wholeMethodGuarded(n) + retries(n) + nested(n);
            try (Resource r = new Resource(n)) {
                r.use();
            } catch (IllegalStateException e) {
                sum += e.getSuppressed().length;
            }
        }
        System.out.println("exceptions " + sum + " " + ticks);
        ofTheJvm();
        hot();
        trace();
        reflection();
    }

    static void thrower(int n) { // calls 108 exceptions 69
        if (n % 3 != 0) throw new IllegalStateException("n=" + n);
    }

    static void passes(int n) { // calls 9 exceptions 6
        thrower(n);
        ticks++;
    }

    static boolean catches(int n) { // calls 9
        try {
            thrower(n);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @SuppressWarnings("finally")
    static int finallyReturns(int n) { // calls 9
        try {
            thrower(n);
            return 1;
        } finally {
            return 2;
        }
    }

    static int finallyTicks(int n) { // calls 9 exceptions 6
        int k = 0;
        try {
            thrower(n);
            k = 1;
            return k;
        } finally {
            k += 10;
            ticks += k;
        }
    }

    static void rethrows(int n) throws Exception { // calls 9 exceptions 6
        try {
            thrower(n);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new Exception("wrapped", e);
        }
    }

    static int finallyThrows(int n) { // calls 9 exceptions 6
        try {
            thrower(n);
        } finally {
            if (n % 3 == 1) throw new IllegalArgumentException("instead");
        }
        return n;
    }

    static int wholeMethodGuarded(int n) { // calls 9
        try {
            thrower(n);
            if (n == 3) return 30;
            thrower(n + 1);
            return 1;
        } catch (Throwable t) {
            return 2;
        }
    }

    /** From its first instruction on within a handler's range, and the handler jumps back to it. 6 -> 7 -> 8 -> 9. */
    static int retries(int n) { // calls 9
        while (true) {
            try {
                thrower(n);
                return n;
            } catch (IllegalStateException e) {
                n++;
            }
        }
    }

    static int nested(int n) { // calls 9
        int r = 0;
        try {
            try {
                thrower(n);
                r = 1;
            } catch (IllegalStateException e) {
                r = 2;
                thrower(n + 1);
                r = 3;
            } finally {
                r += 10;
            }
        } catch (IllegalStateException e) {
            r += 100;
        }
        return r;
    }

    static final class Resource implements AutoCloseable {
        final int n;

        Resource(int n) { // calls 9
            this.n = n;
        }

        void use() { // calls 9 exceptions 6
            thrower(n);
        }

        @Override
        public void close() { // calls 9 exceptions 5
            if (n > 3) throw new IllegalStateException("close");
        }
    }

    static void ofTheJvm() { // calls 1
        Runnable[] all = {
            () -> divide(1, 0), // lambda calls 1 exceptions 1
            () -> element(new int[2], 2), // lambda calls 1 exceptions 1
            () -> length(null), // lambda calls 1 exceptions 1
            () -> cast("a string"), // lambda calls 1 exceptions 1
            () -> store(new Integer[1], "x"), // lambda calls 1 exceptions 1
            () -> sized(-1), // lambda calls 1 exceptions 1
            () -> throwsNull(), // lambda calls 1 exceptions 1
            () -> unlocks(null), // lambda calls 1 exceptions 1
        };
        for (Runnable r : all) {
            try {
                r.run();
            } catch (RuntimeException e) {
                System.out.println(e.getClass().getName() + ": " + e.getMessage());
            }
        }
        System.out.println(divide(7, 2) + element(new int[] {4}, 0) + length("abc") + cast(5));
    }

    static int divide(int a, int b) { // calls 2 exceptions 1
        return a / b;
    }

    static int element(int[] a, int i) { // calls 2 exceptions 1
        return a[i];
    }

    static int length(String s) { // calls 2 exceptions 1
        return s.length();
    }

    static Integer cast(Object o) { // calls 2 exceptions 1
        return (Integer) o;
    }

    static void store(Object[] a, Object o) { // calls 1 exceptions 1
        a[0] = o;
    }

    static int[] sized(int n) { // calls 1 exceptions 1
        return new int[n];
    }

    static void throwsNull() { // calls 1 exceptions 1
        RuntimeException none = null;
        throw none;
    }

    static void unlocks(Object o) { // calls 1 exceptions 1
        synchronized (o) {
            ticks++;
        }
    }

    /** Often enough that compilers compile it, and C2 turns throw and catch into a jump. */
    static void hot() { // calls 1
        int caught = 0;
        for (int n = 0; n < 30000; n++) {
            try {
                hotCallee(n);
            } catch (Lean e) {
                caught++;
            }
        }
        System.out.println("hot " + caught);
    }

    static void hotCallee(int n) throws Lean { // calls 30000 exceptions 10000
        if (n % 3 == 0) throw Lean.INSTANCE;
    }

    /** Without a stack trace. */
    static final class Lean extends Exception {
        static final Lean INSTANCE = new Lean(); // <clinit> calls 1

        Lean() { // calls 1
            super("lean", null, false, false);
        }
    }

    static void trace() { // calls 1
        try {
            outer(1);
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static void outer(int n) throws Exception { // calls 1 exceptions 1
        try {
            inner(n);
        } catch (IllegalStateException e) {
            throw new Exception("outer", e);
        }
    }

    static void inner(int n) { // calls 1 exceptions 1
        Runnable r = () -> {
            thrower(n); // lambda calls 1 exceptions 1
        };
        r.run();
    }

    public static void reflected(int n) { // calls 2 exceptions 1
        if (n == 0) throw new UnsupportedOperationException("reflected");
    }

    static void reflection() throws Exception { // calls 1
        var method = Exceptions.class.getDeclaredMethod("reflected", int.class);
        method.invoke(null, 1);
        try {
            method.invoke(null, 0);
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println(e.getCause());
        }
        StringBuilder members = new StringBuilder();
        for (var m : Exceptions.class.getDeclaredMethods()) if (!m.isSynthetic()) members.append(1);
        for (var f : Exceptions.class.getDeclaredFields()) members.append(f.getName());
        System.out.println(members);
    }
}
