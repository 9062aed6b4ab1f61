import java.util.Set;

/** A loader that only accepts names of a list and rejects all others in the given way. Runs its classes. */
final class Listed {
    private static final Set<String> LIST = Set.of("java.lang.Object", "java.lang.Runnable");

    static final class Guarded extends Own {
        private final String no;

        Guarded(String no) {
            super(Listed.class.getClassLoader(), "Guest", "Second");
            this.no = no;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (owns(name) || LIST.contains(name)) return super.loadClass(name, resolve);
            return switch (no) {
                case "not-found" -> throw new ClassNotFoundException(name);
                case "security" -> throw new SecurityException(name);
                case "error" -> throw new AssertionError(name);
                case "linkage" -> throw new NoClassDefFoundError(name);
                case "endless" -> loadClass(name, !resolve);
                case "null" -> null;
                case "another" -> Object.class;
                default -> throw new IllegalArgumentException(no);
            };
        }
    }

    /** Delegates everything that it does not define to such a loader. */
    static Own child(ClassLoader parent) {
        return new Own(parent, "Guest", "Second");
    }

    private static void run(Own loader) throws ClassNotFoundException {
        for (int i = 0; i < 3; i++) {
            loader.make("Guest").run();
            loader.make("Second").run();
        }
    }

    public static void main(String[] args) throws Exception {
        Guarded loader = new Guarded(args[0]);
        run(loader);
        run(child(loader));
        System.out.println("done");
    }
}
