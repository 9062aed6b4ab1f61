import java.util.ArrayList;
import java.util.List;

/** Paths of calls whose numbers are known. Each part is a method that main calls. */
public class Paths {
    static volatile int sink;

    static void leaf() {
        sink++;
    }

    static void twice() {
        leaf();
        leaf();
    }

    static void plain() {
        for (int i = 0; i < 30; i++) {
            leaf();
            twice();
        }
        leaf();
    }

    static void direct(int n) {
        if (n > 0) direct(n - 1);
        else leaf();
    }

    static void even(int n) {
        if (n > 0) odd(n - 1);
    }

    static void odd(int n) {
        if (n > 0) even(n - 1);
    }

    static void recursion() {
        for (int i = 0; i < 10; i++) direct(4);
        for (int i = 0; i < 10; i++) even(3);
    }

    static void deep() {
        direct(1000);
    }

    static void fails() {
        leaf();
        throw new IllegalStateException();
    }

    static void passes() {
        fails();
    }

    static class Base {
        Base(boolean fail) {
            if (fail) throw new IllegalStateException();
        }
    }

    static class Derived extends Base {
        Derived(boolean fail) {
            super(fail);
            leaf();
        }
    }

    static void exceptions() {
        for (int i = 0; i < 7; i++) {
            try {
                passes();
            } catch (IllegalStateException e) {
                twice();
            }
            try {
                new Derived(i % 2 == 0);
            } catch (IllegalStateException e) {
                leaf();
            }
        }
    }

    static void inThread() {
        for (int i = 0; i < 50_000; i++) twice();
    }

    /** Four at once, two times: the second four take over what the first had. */
    static void threads() throws Exception {
        for (int round = 0; round < 2; round++) {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) all.add(new Thread(new InThread()));
            for (Thread t : all) t.start();
            for (Thread t : all) t.join();
        }
    }

    static class InThread implements Runnable {
        public void run() {
            inThread();
        }
    }

    static void naps() throws InterruptedException {
        leaf();
        Thread.sleep(1);
        twice();
    }

    static class Napping implements Runnable {
        public void run() {
            try {
                for (int i = 0; i < 5; i++) naps();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Called by its name, as JDK 17 has no such threads. */
    static void virtual() throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, new Napping()));
        for (Thread t : all) t.join();
    }

    static void left(int n) {
        if (n > 0) branch(n - 1);
    }

    static void right(int n) {
        if (n > 0) branch(n - 1);
    }

    static void branch(int n) {
        left(n);
        right(n);
    }

    /** 3 * 2^19 - 3 + 1 paths and more: more than there is room for. */
    static void many() {
        branch(19);
    }

    static void endless() {
        for (;;) {
            twice();
            if (sink < 0) sink = 0;
        }
    }

    public static void main(String[] parts) throws Exception {
        for (String part : parts) {
            switch (part) {
                case "plain" -> plain();
                case "recursion" -> recursion();
                case "deep" -> deep();
                case "exceptions" -> exceptions();
                case "threads" -> threads();
                case "virtual" -> virtual();
                case "many" -> many();
                case "endless" -> endless();
                default -> throw new IllegalArgumentException(part);
            }
        }
    }
}
