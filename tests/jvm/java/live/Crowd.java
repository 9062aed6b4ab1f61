import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;

/** Many loaded classes that are alike, and one that is marked; then it serves as Server does. */
public class Crowd {
    static class Member00000 {
        int f(int x) {
            return x + 1;
        }
    }

    static class Member99999 {
        @Deprecated
        int marked(int x) {
            return new StringBuilder().append(x).length();
        }
    }

    public static void main(String[] arguments) throws Exception {
        String template = "Member00000";
        byte[] bytes;
        try (InputStream in = Crowd.class.getResourceAsStream("Crowd$" + template + ".class")) {
            bytes = in.readAllBytes();
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int i = 1; i < 4000; i++) {
            byte[] other = text.replace(template, String.format("Member%05d", i)).getBytes(StandardCharsets.ISO_8859_1);
            Class<?> c = MethodHandles.lookup().defineClass(other);
            Class.forName(c.getName(), true, Crowd.class.getClassLoader());
        }
        new Member99999().marked(1);
        Server.main(arguments);
    }
}
