import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Another agent. `identity`: retransforms every class again and again, with a transformer that gives the same bytes back; `original`:
 * redefines this program's classes with the bytes of their files; `seen`: with the bytes that its transformer was given.
 */
public final class Meddler {
    static volatile int rounds;
    private static final Map<String, byte[]> SEEN = new ConcurrentHashMap<>();

    public static void premain(String how, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
                if (how.equals("seen") && name != null && name.startsWith("Phases")) SEEN.put(name, bytes.clone());
                return how.equals("identity") ? bytes.clone() : null;
            }
        }, true);
        Thread thread = new Thread(() -> meddle(how, instrumentation), "meddler");
        thread.setDaemon(true);
        thread.start();
    }

    private static void meddle(String how, Instrumentation instrumentation) {
        try {
            while (true) {
                if (how.equals("identity")) retransform(instrumentation);
                else redefine(how, instrumentation);
                rounds++;
                Thread.sleep(10);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            rounds = Integer.MAX_VALUE;
        }
    }

    /** Empty in a JVM that is ending, which returns null. */
    private static Class<?>[] loaded(Instrumentation instrumentation) {
        Class<?>[] all = instrumentation.getAllLoadedClasses();
        return all == null ? new Class<?>[0] : all;
    }

    private static void retransform(Instrumentation instrumentation) throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> c : loaded(instrumentation)) if (instrumentation.isModifiableClass(c)) classes.add(c);
        instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
    }

    private static void redefine(String how, Instrumentation instrumentation) throws Exception {
        for (Class<?> c : loaded(instrumentation)) {
            if (!c.getName().startsWith("Phases") || c.isHidden()) continue;
            byte[] bytes = SEEN.get(c.getName());
            if (how.equals("original")) {
                try (InputStream in = c.getResourceAsStream(c.getName() + ".class")) {
                    bytes = in.readAllBytes();
                }
            }
            if (bytes != null) instrumentation.redefineClasses(new ClassDefinition(c, bytes));
        }
    }
}
