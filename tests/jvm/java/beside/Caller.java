import java.nio.file.Files;
import java.nio.file.Path;

/** Calls classes of loaders that log: of three, or of the system class loader. Writes their log to the given file. */
public final class Caller {
    public static void main(String[] args) throws Exception {
        if (Caller.class.getClassLoader() instanceof Logging mine) {
            call(mine);
        } else {
            for (int i = 0; i < 3; i++) call(new Logging(Caller.class.getClassLoader()));
        }
        Files.write(Path.of(args[0]), Logging.log());
        System.out.println("done");
    }

    static void call(Logging loader) throws ClassNotFoundException {
        for (String name : new String[] {"Guest", "Second"}) {
            Logging.note("load " + name);
            Class<?> c = loader.loadClass(name);
            Logging.note("call " + name);
            for (int i = 0; i < 3; i++) ((Runnable) Own.make(c)).run();
        }
    }
}
