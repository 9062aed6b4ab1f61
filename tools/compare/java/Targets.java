import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Targets FOLDER: runs each class of the folder whose name ends in Target: its main method, or it is a Runnable, or it is initialised,
 * and what it has of Runnables in static fields is run. */
public class Targets {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        List<String> names;
        try (Stream<Path> files = Files.walk(root)) {
            names = files.map(file -> root.relativize(file).toString()).filter(file -> file.endsWith("Target.class") || file.endsWith("TargetKt.class"))
                .map(file -> file.substring(0, file.length() - 6).replace('/', '.')).sorted().toList();
        }
        for (String name : names) {
            try {
                Class<?> c = Class.forName(name);
                if (Runnable.class.isAssignableFrom(c) && !c.isInterface()) {
                    ((Runnable) c.getDeclaredConstructor().newInstance()).run();
                } else {
                    main(c);
                }
            } catch (Throwable e) {
                System.out.println(name + ": " + (e.getCause() == null ? e : e.getCause()));
            }
        }
        System.exit(0);
    }

    static void main(Class<?> c) throws Exception {
        try {
            c.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (NoSuchMethodException e) {
            for (var field : c.getDeclaredFields()) { // initialises interfaces
                field.setAccessible(true);
                if (java.lang.reflect.Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof Runnable run) run.run();
            }
        }
    }
}
