import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * COUNT loaders, one after another, each of which defines Guest and calls it; `chain`: the parent of each is the one before. Then waits
 * until all have been collected, and prints how many were not.
 */
final class Brood {
    private static List<WeakReference<ClassLoader>> raise(boolean chain, int count) throws ClassNotFoundException {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        ClassLoader parent = Brood.class.getClassLoader();
        for (int i = 0; i < count; i++) {
            Own loader = new Own(parent, "Guest");
            loader.make("Guest").run();
            loaders.add(new WeakReference<>(loader));
            if (chain) parent = loader;
        }
        return loaders;
    }

    public static void main(String[] args) throws Exception {
        List<WeakReference<ClassLoader>> loaders = raise(args[0].equals("chain"), Integer.parseInt(args[1]));
        int rounds = 0;
        do {
            System.gc();
            Thread.sleep(10);
            loaders.removeIf(reference -> reference.refersTo(null));
        } while (!loaders.isEmpty() && ++rounds < 100);
        System.out.println(loaders.size() + " loaders are still there");
    }
}
