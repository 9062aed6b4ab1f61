import java.util.function.Predicate;

/**
 * Loaders whose loadClass calls code that they defined themselves. `later`: once the class is first asked for; `last`: the same, but after
 * another class was defined; `first`: that class is the first that the loader defines, within loadClass of another. Prints how often the
 * code was called.
 */
final class Filtered {
    /** Makes a filter for each name that it is asked for, once it has the filter's class. */
    static class Later extends Own {
        volatile Class<?> filter;

        Later() {
            super(Filtered.class.getClassLoader(), "Filter", "Guest", "Second");
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (filter != null && !filter().test(name)) throw new ClassNotFoundException(name);
            return super.loadClass(name, resolve);
        }

        @SuppressWarnings("unchecked")
        Predicate<Object> filter() {
            return (Predicate<Object>) make(filter);
        }
    }

    /** Defines that class first. */
    static final class First extends Later {
        private boolean begun;

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!begun) {
                begun = true;
                filter = loadClass("Filter");
            }
            return super.loadClass(name, resolve);
        }
    }

    public static void main(String[] args) throws Exception {
        Later loader = args[0].equals("first") ? new First() : new Later();
        if (args[0].equals("last")) loader.make("Guest").run();
        if (!args[0].equals("first")) loader.filter = loader.loadClass("Filter");
        loader.make("Guest").run();
        loader.make("Second").run();
        try {
            loader.loadClass("forbidden.Thing");
        } catch (ClassNotFoundException e) {
            System.out.println("not found: " + e.getMessage());
        }
        System.out.println(loader.filter().hashCode());
    }
}
