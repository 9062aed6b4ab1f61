import java.lang.reflect.*;
import java.nio.file.*;
import java.util.*;

/** Loads the classes that a file lists, calls the static run(int) of each a number of times, and prints everything observable. */
public class Driver {
    public static void main(String[] args) throws Throwable {
        int rounds = Integer.parseInt(args[1]);
        for (String name : Files.readAllLines(Paths.get(args[0]))) {
            Method run;
            try {
                Class<?> c = Class.forName(name.replace('/', '.'));
                run = c.getMethod("run", int.class);
                if (rounds == 0) print(c);
            } catch (LinkageError | ReflectiveOperationException x) {
                System.out.println(name + " cannot be used: " + x);
                continue;
            }
            if (rounds == 0)
                for (int n = 0; n < 8; n++) System.out.println(name + ".run(" + n + ") = " + called(run, n));
            for (int i = 0; i < rounds; i++)
                try {
                    run.invoke(null, i & 7);
                } catch (InvocationTargetException x) {
                }
        }
    }

    static String called(Method run, int n) throws Exception {
        try {
            return String.valueOf(run.invoke(null, n));
        } catch (InvocationTargetException x) {
            StringBuilder text = new StringBuilder();
            for (Throwable t = x.getCause(); t != null; t = t.getCause()) {
                text.append(t);
                for (StackTraceElement e : t.getStackTrace()) {
                    if (e.getClassName().startsWith("jdk.") || e.getClassName().startsWith("java.lang.reflect")) break;
                    text.append("\n    ").append(e);
                }
            }
            return text.toString();
        }
    }

    static void print(Class<?> c) {
        List<String> members = new ArrayList<>();
        for (Member m : c.getDeclaredMethods()) members.add(m.toString());
        for (Member m : c.getDeclaredFields()) members.add(m.toString());
        for (Member m : c.getDeclaredConstructors()) members.add(m.toString());
        Collections.sort(members);
        System.out.println(c + " " + members);
    }
}
