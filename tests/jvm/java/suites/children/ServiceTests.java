package suite;

import static org.junit.Assert.assertEquals;

import java.io.File;
import org.junit.Test;

/** A test starts a service, which goes on until the next one has used it. */
class ServiceTests {
    public static class Before {
        @Test
        public void before() {
            Tool.none();
        }
    }

    public static class Starts {
        @Test
        public void starts() throws Exception {
            String java = System.getProperty("java.home") + "/bin/java";
            Process child = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "suite.Tool", "service").start();
            assertEquals('s', child.getInputStream().read());
        }
    }

    public static class Uses {
        @Test
        public void uses() throws Exception {
            File file = new File("asked");
            file.createNewFile();
            while (file.exists()) Thread.sleep(5);
        }
    }

    public static class After {
        @Test
        public void after() throws Exception {
            while (ProcessHandle.current().children().findAny().isPresent()) Thread.sleep(5);
        }
    }

    public static class Last {
        @Test
        public void last() {
            Tool.none();
        }
    }
}
