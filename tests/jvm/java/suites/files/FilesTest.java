package suite;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.stream.Stream;
import org.junit.BeforeClass;
import org.junit.Test;

/** Each test reads a file of its own, by another way, or what another one has read. */
public class FilesTest {
    @BeforeClass
    public static void setUp() throws Exception {
        Files.readString(Path.of("data/setup.txt"));
    }

    @Test
    public void stream() throws Exception {
        try (FileInputStream in = new FileInputStream("data/stream.txt")) {
            in.read();
        }
    }

    @Test
    public void string() throws Exception {
        assertEquals("string.txt", Files.readString(Path.of("data/string.txt")).strip());
    }

    @Test
    public void resource() throws Exception {
        try (InputStream in = FilesTest.class.getResourceAsStream("/resource.txt")) {
            in.read();
        }
    }

    @Test
    public void random() throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(new File("data/random.txt"), "r")) {
            file.read();
        }
    }

    @Test
    public void channel() throws Exception {
        try (FileChannel channel = FileChannel.open(Path.of("data/channel.txt"))) {
            channel.read(ByteBuffer.allocate(1));
        }
    }

    @Test
    public void written() throws Exception {
        Files.writeString(Path.of("data/written.txt"), "x");
    }

    @Test
    public void listed() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("data/many"))) {
            files.count();
        }
    }

    @Test
    public void absent() {
        new File("data/absent.txt").exists();
    }

    @Test
    public void thread() throws Exception {
        Thread thread = new Thread(() -> Helper.read("data/thread.txt"));
        thread.start();
        thread.join();
    }

    @Test
    public void first() {
        Helper.read("data/helped.txt");
        Cache.of("data/cached.txt");
        Constants.text();
        Messages.hello();
    }

    @Test
    public void later() {
        Cache.of("data/cached.txt");
    }

    @Test
    public void latest() {
        Constants.text();
    }

    @Test
    public void bundle() {
        Messages.hello();
    }

    @Test
    public void helped() {
        Helper.read("data/other.txt");
    }

    @Test
    public void ignored() throws Exception {
        Files.readString(Path.of("ignored/text.txt"));
        try (Stream<Path> files = Files.list(Path.of("ignored/many"))) {
            files.count();
        }
    }

    @Test
    public void own() throws Exception {
        Files.writeString(Path.of("ignored/own.txt"), "x");
        Files.readString(Path.of("ignored/own.txt"));
    }

    @Test
    public void classFile() throws Exception {
        Files.readAllBytes(Path.of("target/classes/other/Read.class"));
    }

    @Test
    public void classResource() throws Exception {
        try (InputStream in = FilesTest.class.getResourceAsStream("/other/Found.class")) {
            in.read();
        }
    }

    @Test
    public void classWalk() throws Exception {
        try (Stream<Path> files = Files.walk(Path.of("target/classes/other"))) {
            files.count();
        }
    }

    @Test
    public void loaded() throws Exception {
        Class.forName("other.Loaded");
    }

    @Test
    public void none() {}
}

class Helper {
    static String read(String name) {
        try {
            return Files.readString(Path.of(name));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

class Cache {
    private static final Map<String, String> KNOWN = new HashMap<>();

    static String of(String name) {
        return KNOWN.computeIfAbsent(name, Helper::read);
    }
}

class Constants {
    private static final String TEXT = Helper.read("data/constant.txt");

    static String text() {
        return TEXT;
    }
}

class Messages {
    static String hello() {
        return ResourceBundle.getBundle("messages").getString("hello");
    }
}
