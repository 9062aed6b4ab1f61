import java.util.ArrayList;
import java.util.List;

/** Classes that are subtypes of Service in several ways; each reports how often its methods ran. */
public class Family {
    interface Narrow extends Service {}

    static abstract class Base implements Narrow {
        static int built = counted(); // code of the class that runs before any other

        static int counted() { return 1; }

        public int twice(int n) { return 2 * work(n); }
    }

    static class Middle extends Base {
        public int work(int n) { return n + built; }
    }

    /** No type of its class file is Service. */
    static class Leaf extends Middle {
        static int first = start();

        static int start() { return 1; }

        @Override public int twice(int n) { return super.twice(n); }
    }

    static class Other {
        public int work(int n) { return n; }
    }

    /** java.util.AbstractList is known in advance, and so is that it is a Collection. */
    static class Ours extends java.util.AbstractSequentialList<String> {
        public java.util.ListIterator<String> listIterator(int index) { return new ArrayList<String>().listIterator(); }

        public int size() { return 0; }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) { // on a virtual thread, which JDK 17 does not have
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            ((Thread) type.getMethod("start", Runnable.class).invoke(builder, (Runnable) Family::work)).join();
        } else {
            work();
        }
    }

    static void work() {
        int sum = 0;
        Leaf leaf = new Leaf();
        for (int i = 0; i < 10; i++) sum += leaf.twice(i) + new Other().work(i);
        sum += new Ours().size();
        System.out.println(sum);
    }
}
