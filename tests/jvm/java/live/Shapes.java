import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** For each line that it reads: loads the class of that name in a loader of its own, if there is one, calls all that are loaded, and answers. */
public class Shapes {
    public interface Shape { int sides(); }
    public interface Round extends Shape { default int sides() { return 0; } }
    public static class Polygon implements Shape { public int sides() { return 3; } }
    public static class Square extends Polygon { public int sides() { return 4; } }
    public static class Circle implements Round { public int sides() { return 1; } }
    public static class Other { public int sides() { return 9; } }
    public static class LateSquare extends Polygon { public int sides() { return 4; } }
    public static class LateCircle implements Round { public int sides() { return 1; } }

    static final List<Object> made = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        made.addAll(List.of(new Polygon(), new Square(), new Circle(), new Other()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        URL place = Shapes.class.getProtectionDomain().getCodeSource().getLocation();
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null; ) {
            if (!line.isEmpty()) {
                ClassLoader loader = new URLClassLoader(new URL[] {place}, null);
                made.add(loader.loadClass(line).getConstructor().newInstance());
            }
            int sum = 0;
            for (Object one : made) sum += (int) one.getClass().getMethod("sides").invoke(one);
            System.out.println(sum + two().length);
        }
    }

    static Object[] two() { return new Object[] {new Polygon(), new Square()}; }
}
