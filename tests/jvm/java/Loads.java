import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Loads the first classes of a jar: arguments are its path and how many. */
public class Loads {
    static int loaded;

    public static void main(String[] arguments) throws Exception {
        Path jar = Path.of(arguments[0]);
        loaded = all(jar, Integer.parseInt(arguments[1]));
        System.out.println(loaded);
    }

    static int all(Path jar, int wanted) throws Exception {
        int n = 0;
        try (JarFile file = new JarFile(jar.toFile());
                URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
            Enumeration<JarEntry> entries = file.entries();
            while (entries.hasMoreElements() && n < wanted) {
                String name = entries.nextElement().getName();
                if (!name.endsWith(".class") || name.contains("module-info")) continue;
                load(name.substring(0, name.length() - 6).replace('/', '.'), loader);
                n++;
            }
        }
        return n;
    }

    static void load(String name, ClassLoader loader) throws Exception {
        Class.forName(name, false, loader);
    }
}
