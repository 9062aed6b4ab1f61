import java.io.*;
import java.lang.reflect.*;
import java.net.*;

/** Defines and links each class of a file (length, bytes), each in its own loader; prints the result. Runs it if told to. */
public class Load {
    static class One extends ClassLoader {
        One(ClassLoader parent) { super(parent); }

        Class<?> define(byte[] b) { return defineClass(null, b, 0, b.length); }
    }

    public static void main(String[] args) throws Exception {
        ClassLoader parent = new URLClassLoader(new URL[] {new File(args[2]).toURI().toURL()});
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(args[0])))) {
            int n = in.readInt();
            for (int i = 0; i < n; i++) {
                byte[] b = new byte[in.readInt()];
                in.readFully(b);
                System.out.println(i + "\t" + load(parent, b, args[1].equals("run")));
            }
        }
    }

    static String load(ClassLoader parent, byte[] b, boolean run) {
        Class<?> c;
        try {
            c = new One(parent).define(b);
            c.getDeclaredMethods(); // links, so verifies
        } catch (Throwable t) {
            return t.getClass().getName() + "\t" + String.valueOf(t.getMessage()).split("\n")[0].replaceAll("\\p{Cntrl}", " ");
        }
        StringBuilder text = new StringBuilder("fine\t");
        for (int k = 0; run && k < 8; k++)
            try {
                text.append(c.getMethod("run", int.class).invoke(null, k)).append(' ');
            } catch (InvocationTargetException x) {
                StackTraceElement[] trace = x.getCause().getStackTrace();
                text.append(x.getCause().getClass()).append('@').append(trace.length > 0 ? trace[0] : "").append(' ');
            } catch (ReflectiveOperationException | LinkageError x) {
                text.append(x).append(' ');
            }
        return text.toString();
    }
}
