import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** 32 threads, each with its own class loader for the given folder. */
final class Loaders {
    public static void main(String[] args) throws Exception {
        URL[] urls = {Path.of(args[0]).toUri().toURL()};
        Thread[] threads = new Thread[32];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
                    Class<?> plugin = loader.loadClass("Plugin");
                    if (plugin.getClassLoader() != loader) throw new AssertionError();
                    ((Runnable) plugin.getConstructor().newInstance()).run();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
        }
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
    }
}
