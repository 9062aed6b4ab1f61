import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests in the order of the lines of a file, each a class, or a class, a number sign and a method; then writes the
 * names of those that failed into another file.
 */
public class Ordered {
    public static void main(String[] args) throws Exception {
        StringBuilder failed = new StringBuilder();
        Launcher launcher = LauncherFactory.create();
        TestExecutionListener listener = new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                    failed.append(test.getUniqueId()).append('\t').append(result.getThrowable().map(Throwable::toString).orElse("").replace('\n', ' ')).append('\n');
                }
            }
        };
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            int sign = line.indexOf('#');
            DiscoverySelector selector = sign < 0
                    ? DiscoverySelectors.selectClass(line)
                    : DiscoverySelectors.selectMethod(line.substring(0, sign), line.substring(sign + 1));
            launcher.execute(LauncherDiscoveryRequestBuilder.request().selectors(selector).build(), listener);
        }
        Files.writeString(Path.of(args[1]), failed);
        System.exit(0);
    }
}
