package p;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Defines each class file of a directory in its own loader, runs those that load, and prints the JVM's result. */
public class Hostile {
    static final class Loader extends ClassLoader {
        Class<?> define(String name, byte[] b) {
            return defineClass(name, b, 0, b.length);
        }
    }

    public static void main(String[] args) throws Exception {
        Path[] files;
        try (var list = Files.list(Path.of(args[0]))) {
            files = list.sorted().toArray(Path[]::new);
        }
        for (Path file : files) {
            String said;
            try {
                Class<?> c = new Loader().define(args.length > 1 ? null : "victim.Victim", Files.readAllBytes(file));
                said = "ran: " + c.getMethod("work").invoke(null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                said = "threw: " + first(e.getCause());
            } catch (Throwable e) {
                said = "refused: " + first(e);
            }
            System.out.println(file.getFileName() + " " + said);
        }
    }

    static String first(Throwable e) {
        return e.getClass().getName() + ": " + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
