package bundles;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.launch.Framework;

/** Starts and stops Felix with the given bundles; the first argument is the folder of its cache. */
public final class Bundles {
    private Bundles() {
    }

    public static void main(String[] args) throws Exception {
        Framework framework = new FrameworkFactory().newFramework(
            Map.of("org.osgi.framework.storage", args[0], "org.osgi.framework.storage.clean", "onFirstInit"));
        framework.start();
        List<Bundle> bundles = new ArrayList<>();
        for (int i = 1; i < args.length; i++) bundles.add(framework.getBundleContext().installBundle(new File(args[i]).toURI().toString()));
        for (Bundle bundle : bundles) bundle.start();
        framework.stop();
        framework.waitForStop(0);
    }
}
