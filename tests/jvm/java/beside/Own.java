import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Set;

/** A loader that defines classes with some names itself, from its parent's bytes, and gets all others from its parent. */
public class Own extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final Set<String> own;

    Own(ClassLoader parent, String... own) {
        super(parent);
        this.own = Set.of(own);
    }

    boolean owns(String name) {
        return own.contains(name);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!owns(name)) return super.loadClass(name, resolve);
        synchronized (getClassLoadingLock(name)) {
            Class<?> c = findLoadedClass(name);
            return c != null ? c : define(name, bytes(name));
        }
    }

    Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    byte[] bytes(String name) {
        try (InputStream in = Own.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Object make(Class<?> c) {
        try {
            return c.getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Error error ? error : new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    Runnable make(String name) throws ClassNotFoundException {
        return (Runnable) make(loadClass(name));
    }
}
