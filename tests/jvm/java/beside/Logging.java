import java.util.ArrayList;
import java.util.List;

/** A loader that logs each name that it is asked for, and the begin and end of its own definitions. May be the system class loader. */
public final class Logging extends Own {
    static {
        registerAsParallelCapable();
    }

    private static final List<String> LOG = new ArrayList<>();
    private static int loaders;

    private final int number;

    public Logging(ClassLoader parent) {
        super(parent, "Guest", "Second", "Caller");
        number = ++loaders;
    }

    public static synchronized void note(String line) {
        LOG.add(line);
    }

    public static synchronized List<String> log() {
        return new ArrayList<>(LOG);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        note(number + " asked " + name);
        return super.loadClass(name, resolve);
    }

    @Override
    Class<?> define(String name, byte[] bytes) {
        note(number + " begin " + name);
        Class<?> c = super.define(name, bytes);
        note(number + " end " + name);
        return c;
    }
}
