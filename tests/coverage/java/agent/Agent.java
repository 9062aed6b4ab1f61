import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Member;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.stream.Stream;

/** What the tests of the agent need; `args[0]` says which part runs. */
public class Agent {
    static class Visible implements Serializable {
        int field;
        void method() {}
    }

    static int looped(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if ((i & 3) == 0)
                sum += 2; // ran 100000
            else
                sum++; // ran 300000
        }
        return sum; // ran 200
    }

    static void threads() throws Exception {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            threads[i] = new Thread(() -> {
                for (int k = 0; k < 100; k++) looped(2000);
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    /** Each copy of the class runs another branch. */
    static void loaders() throws Exception {
        URL[] here = {Agent.class.getProtectionDomain().getCodeSource().getLocation()};
        for (String way : new String[] {"left", "right"})
            try (URLClassLoader loader = new URLClassLoader(here, ClassLoader.getPlatformClassLoader())) {
                loader.loadClass("Copied").getMethod("run", String.class).invoke(null, way);
            }
    }

    static void reflection() {
        Class<?> c = Visible.class;
        Member[][] members = {c.getDeclaredFields(), c.getDeclaredMethods(), c.getDeclaredConstructors(), Agent.class.getDeclaredFields()};
        System.out.println(Arrays.stream(members).flatMap(Stream::of).map(m -> m.getModifiers() + " " + m.getName()).sorted().toList());
        System.out.println(ObjectStreamClass.lookup(c).getSerialVersionUID());
    }

    static void crash() throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        ((sun.misc.Unsafe) field.get(null)).putAddress(0, 0);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "threads" -> threads();
            case "loaders" -> loaders();
            case "reflection" -> reflection();
            case "redefined" -> Redefining.run();
            default -> {
                looped(4); // before the end
                if (args[0].equals("crash")) crash();
                if (args[0].equals("kill")) {
                    System.out.println("ready");
                    System.out.flush();
                    System.in.read();
                }
                Runtime.getRuntime().halt(3);
            }
        }
    }
}
