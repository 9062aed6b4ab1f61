import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;

/** Closes descriptors that it does not know, as programs do that close all before they start others; it counts before and afterwards. */
class Closes {
    static int n;

    static void step() {
        n++;
    }

    static class Later { // is woven when the descriptors are closed
        static void step() {
            n++;
        }
    }

    public static void main(String[] args) throws Exception {
        Field number = FileDescriptor.class.getDeclaredField("fd");
        number.setAccessible(true);
        for (int i = 0; i < 1000; i++)
            step();
        int closed = 0;
        for (String name : new java.io.File("/proc/self/fd").list()) {
            Path link = Path.of("/proc/self/fd", name);
            if (!Files.isSymbolicLink(link) || !target(link).matches(".*/classhook-.*|.*\\.classhook.*"))
                continue;
            FileDescriptor fd = new FileDescriptor();
            number.setInt(fd, Integer.parseInt(name));
            new FileInputStream(fd).close();
            closed++;
        }
        for (int i = 0; i < 1000; i++) {
            step();
            Later.step();
        }
        System.out.println(closed > 0 ? "closed" : "found none");
    }

    static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
