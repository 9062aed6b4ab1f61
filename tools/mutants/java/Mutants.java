import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs all tests of a library, again and again, each time with another class replaced and all classes loaded anew.
 *
 * <p>Arguments: the folders of the library and of its tests. Each line of the input is a class's name, a tab and the file that takes its place, or
 * a hyphen to run the tests as they are. Each line of the output is a letter and a name: S a test that begins, E one that ended, F one that failed;
 * "." after the last one. A test is named by its class, a number sign and its method; all tests of a class by an asterisk.
 */
public class Mutants {
    static PrintStream out;

    public static void main(String[] args) throws Exception {
        out = System.out;
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Properties properties = (Properties) System.getProperties().clone();
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        for (String line; (line = in.readLine()) != null;) {
            System.setProperties((Properties) properties.clone());
            Locale.setDefault(locale);
            TimeZone.setDefault(zone);
            System.setOut(nowhere);
            System.setErr(nowhere);
            System.setIn(java.io.InputStream.nullInputStream());
            run(args, line.split("\t"));
            out.println(".");
            out.flush();
        }
        System.exit(0);
    }

    static void run(String[] args, String[] replaced) throws Exception {
        URL[] urls = {Path.of(args[0]).toUri().toURL(), Path.of(args[1]).toUri().toURL()};
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (Loader loader = new Loader(urls, replaced)) {
            thread.setContextClassLoader(loader);
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClasspathRoots(Set.of(Path.of(args[1]))))
                .filters(ClassNameFilter.includeClassNamePatterns(ClassNameFilter.STANDARD_INCLUDE_PATTERN))
                .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "false")
                .build();
            Launcher launcher = LauncherFactory.create();
            launcher.execute(request, new Told());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    static class Loader extends URLClassLoader {
        final String[] replaced;

        Loader(URL[] urls, String[] replaced) {
            super(urls, Mutants.class.getClassLoader());
            this.replaced = replaced;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals(replaced[0])) return super.findClass(name);
            try {
                byte[] bytes = Files.readAllBytes(Path.of(replaced[1]));
                int dot = name.lastIndexOf('.');
                if (dot > 0 && getDefinedPackage(name.substring(0, dot)) == null) definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }
    }

    static class Told implements TestExecutionListener {
        final Map<String, String> names = new HashMap<>();
        TestPlan plan;

        @Override
        public void testPlanExecutionStarted(TestPlan plan) {
            this.plan = plan;
            for (TestIdentifier root : plan.getRoots()) {
                root.getUniqueId();
                for (TestIdentifier one : plan.getDescendants(root)) one.getUniqueId();
            }
        }

        @Override
        public void dynamicTestRegistered(TestIdentifier id) {
            id.getUniqueId();
        }

        String name(TestIdentifier id) {
            for (TestIdentifier one = id; one != null; one = plan.getParent(one).orElse(null)) {
                TestSource source = one.getSource().orElse(null);
                if (source instanceof MethodSource) return ((MethodSource) source).getClassName() + "#" + ((MethodSource) source).getMethodName();
                if (source instanceof ClassSource) return ((ClassSource) source).getClassName() + "#*";
            }
            return "*";
        }

        @Override
        public void executionStarted(TestIdentifier id) {
            say("S", id);
        }

        @Override
        public void executionFinished(TestIdentifier id, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) say("F", id);
            say("E", id);
        }

        void say(String what, TestIdentifier id) {
            String name = name(id);
            synchronized (out) {
                out.println(what + " " + name);
                out.flush();
            }
        }
    }
}
