/** Calls inside of others, in threads. The arguments: rounds, threads, their kind, and whether the JVM is halted at the end. */
public class Inside {
    static int query(int i) {
        return i + 1;
    }

    static int pay(int i) {
        return query(i) + through(i);
    }

    static int through(int i) {
        return i % 2 == 0 ? query(i) : 0;
    }

    static int nested(int depth) {
        int n = query(depth);
        return depth > 0 ? n + nested(depth - 1) + query(depth) : n;
    }

    static void failing(int i) {
        query(i);
        if (i % 3 == 0) throw new IllegalStateException();
        query(i);
    }

    static void waiting() throws InterruptedException {
        query(1);
        Thread.sleep(1);
        query(2);
    }

    static synchronized int locked(int i) {
        return query(i);
    }

    static int itself(int depth) {
        return depth > 0 ? itself(depth - 1) : 0;
    }

    static void run(int times) {
        for (int i = 0; i < times; i++) {
            query(i);
            through(i);
            pay(i);
            query(i);
            nested(3);
            query(i);
            try {
                failing(i);
            } catch (IllegalStateException e) {
                query(i);
            }
            locked(i);
            query(i);
            itself(2);
        }
        try {
            waiting();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        query(0);
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
