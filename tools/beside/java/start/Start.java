package start;

import hello.Hello;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Prints Hello's output and the class's loader when its bundle starts. */
public final class Start implements BundleActivator {
    @Override
    public void start(BundleContext context) throws Exception {
        System.out.print(Hello.class.getClassLoader().getClass().getSimpleName() + "\n" + Hello.text());
    }

    @Override
    public void stop(BundleContext context) {
        System.out.println("stopped");
    }
}
