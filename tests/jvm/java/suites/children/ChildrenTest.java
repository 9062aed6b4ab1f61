package suite;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Each test starts a JVM in another way, which runs Tool.main. */
public class ChildrenTest {
    private static final String JAVA = System.getProperty("java.home") + "/bin/java";
    private static final ExecutorService POOL = Executors.newSingleThreadExecutor();

    @BeforeClass
    public static void pool() throws Exception {
        POOL.submit(() -> {}).get();
    }

    @AfterClass
    public static void end() {
        POOL.shutdown();
    }

    private static List<String> line(String way) {
        return new ArrayList<>(List.of(JAVA, "-cp", System.getProperty("java.class.path"), "suite.Tool", way));
    }

    private static String output(Process started) throws Exception {
        String text = new String(started.getInputStream().readAllBytes());
        assertEquals(0, started.waitFor());
        return text;
    }

    @Test
    public void built() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(line("built"));
        List<String> before = new ArrayList<>(builder.environment().keySet());
        assertEquals("built\n", output(builder.start()));
        assertEquals(before, new ArrayList<>(builder.environment().keySet()));
        assertEquals(null, System.getenv("CLASSHOOK_TEST"));
    }

    @Test
    public void executed() throws Exception {
        assertEquals("executed\n", output(Runtime.getRuntime().exec(line("executed").toArray(new String[0]))));
    }

    @Test
    public void throughShell() throws Exception {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", "\"$@\"", "sh");
        builder.command().addAll(line("shell"));
        assertEquals("shell\n", output(builder.start()));
    }

    @Test
    public void byPool() throws Exception {
        assertEquals("pool\n", POOL.submit(() -> output(new ProcessBuilder(line("pool")).start())).get());
    }

    @Test
    public void byChild() throws Exception {
        assertEquals("parent\ngrandchild\n", output(new ProcessBuilder(line("parent")).start()));
    }

    @Test
    public void cleared() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(line("cleared"));
        builder.environment().clear();
        assertEquals("cleared\n", output(builder.start()));
    }

    @Test
    public void replaced() throws Exception {
        String[] environment = {"A=1"};
        assertEquals("replaced\n", output(Runtime.getRuntime().exec(line("replaced").toArray(new String[0]), environment)));
    }

    @Test
    public void withoutAgent() throws Exception {
        ProcessBuilder builder = new ProcessBuilder("/usr/bin/env", "-u", "JAVA_TOOL_OPTIONS", "-u", "CLASSHOOK_TEST");
        builder.command().addAll(line("unset"));
        assertEquals("unset\n", output(builder.start()));
    }

    @Test
    public void missing() {
        ProcessBuilder builder = new ProcessBuilder("/nowhere/program");
        assertThrows(IOException.class, builder::start);
        builder.environment().clear();
        assertThrows(IOException.class, builder::start);
    }

    @Test
    public void startsNone() {
        Tool.none();
    }
}
