import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Each line says which methods it calls, and how often in one round. The arguments: rounds, threads, their kind, and whether the JVM is halted at the end. */
public class Sited {
    interface Shape {
        int area(int n);
    }

    static final class Square implements Shape {
        public int area(int n) {
            return n * n;
        }
    }

    static class Base {
        final int n;

        Base(int n) {
            this.n = n;
        }

        int twice() {
            return 2 * n;
        }
    }

    static final class Derived extends Base {
        Derived(int n) {
            super(own(n)); // called own 1, <init> 1
        }

        Derived() {
            this(failing(7)); // called failing 1
        }

        @Override
        int twice() {
            return super.twice(); // called twice 1
        }
    }

    static int own(int n) {
        return n + 1;
    }

    static int failing(int n) {
        if (n % 2 == 1) throw new IllegalStateException();
        return n;
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2); // called fib 14
    }

    static int caught() {
        int n = 0;
        for (int i = 0; i < 4; i++) {
            try {
                n += failing(i); // called failing 4
            } catch (IllegalStateException e) {
                n += own(i); // called own 2
            } finally {
                n += own(i); // called own 4
            }
        }
        return n;
    }

    static int locked(Object lock) {
        int n = 0;
        for (int i = 0; i < 3; i++) {
            synchronized (lock) {
                try {
                    n += failing(i); // called failing 3
                } catch (IllegalStateException e) {
                    n++;
                }
            }
        }
        try {
            synchronized (lock) {
                n += failing(1); // called failing 1
            }
        } catch (IllegalStateException e) {
            n += own(n); // called own 1
        }
        return n;
    }

    static void leaving(Object lock) {
        synchronized (lock) {
            failing(3); // called failing 1
        }
    }

    static int once(int i, List<Integer> list, Collection<Integer> any, Map<String, Integer> map, Shape shape, Object lock, int[] array) {
        int n = own(own(i)); // called own 2
        list.add(n); // called add 1
        any.add(n); // called add 1
        new ArrayList<Integer>().add(n); // called add 1
        map.put("k", n); // called put 1
        n += shape.area(i); // called area 1
        n += Math.max(i > 3 ? own(i) : n, 5); // called own 0.5, max 1
        n += array.clone().length; // called clone 1
        n += "abc".hashCode() + lock.hashCode(); // called hashCode 2
        System.arraycopy(array, 0, array, 0, 1); // called arraycopy 1
        n += new Derived(i).twice(); // called <init> 1, twice 1
        try {
            new Derived(); // called <init> 1
        } catch (IllegalStateException e) {
            n--;
        }
        try {
            leaving(lock);
        } catch (IllegalStateException e) {
            n--;
        }
        Runnable run = () -> own(1); // called own 1
        run.run();
        list.clear();
        any.clear();
        return n + fib(5) + caught() + locked(lock); // called fib 1
    }

    static void run(int times) {
        int sum = 0;
        for (int i = 0; i < times; i++)
            sum += once(i % 8, new ArrayList<>(), new ArrayList<>(), new HashMap<>(), new Square(), new Object(), new int[] {1, 2});
        if (sum == 1) System.out.println();
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]), n = Integer.parseInt(args[1]);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            Runnable work = () -> run(times);
            threads[i] = args[2].equals("virtual") ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work) : new Thread(work);
            if (!args[2].equals("virtual")) threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        if (args.length > 3) Runtime.getRuntime().halt(0);
    }
}
