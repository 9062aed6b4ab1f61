import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A class with members of all kinds, and what reflection says of it. */
public class Members implements Runnable, Cloneable {
    static int count;
    static final String[] NAMES = {"a"};
    private long size;
    double[][] grid;

    public native void far();

    @Override
    public void run() {
        size++;
        count++;
    }

    static <T> T same(T t) {
        return t;
    }

    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName(args.length > 0 ? args[0] : "Members");
        List<String> lines = new ArrayList<>();
        for (Method m : c.getDeclaredMethods()) lines.add("method " + m.getName());
        for (Field f : c.getDeclaredFields()) lines.add((Modifier.isStatic(f.getModifiers()) ? "static " : "instance ") + f.getName());
        lines.add("interfaces " + c.getInterfaces().length);
        Collections.sort(lines);
        for (String line : lines) System.out.println("java " + line);
    }
}
