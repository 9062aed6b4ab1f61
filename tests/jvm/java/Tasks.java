import java.util.*;
import java.util.concurrent.*;

/** Tasks that contexts hand over, in every way that the JDK has; with "virtual" also to virtual threads. */
public class Tasks {
    static volatile long sink;
    static synchronized void add(int n) { sink += n; }
    static int leaf(int n) { add(n); return n; }
    static void thread() throws Exception { Thread t = new Thread(() -> { for (int i = 0; i < 10; i++) leaf(i); }); t.start(); t.join(); }
    static void pool(ExecutorService e, List<Future<?>> all) { for (int i = 0; i < 10; i++) all.add(e.submit(() -> leaf(1))); CountDownLatch l = new CountDownLatch(1); e.execute(() -> { leaf(2); l.countDown(); }); try { l.await(); } catch (InterruptedException x) {} }
    static void fork() { ForkJoinPool.commonPool().invoke(new Sum(0, 64)); }
    static void future() { CompletableFuture.supplyAsync(() -> leaf(3)).join(); CompletableFuture.runAsync(() -> leaf(4), ForkJoinPool.commonPool()).join(); }
    static void timer(Timer t) throws Exception { CountDownLatch l = new CountDownLatch(1); t.schedule(new TimerTask() { public void run() { leaf(5); l.countDown(); } }, 1); l.await(); }
    static void scheduled(ScheduledExecutorService s) throws Exception { s.schedule(() -> leaf(6), 1, TimeUnit.MILLISECONDS).get(); }
    static void virtual() throws Exception {
        Runnable task = () -> { for (int i = 0; i < 3; i++) { leaf(i); pause(); } };
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        thread.join();
    }
    static void pause() { try { Thread.sleep(1); } catch (InterruptedException x) { throw new AssertionError(x); } }
    static class Sum extends RecursiveTask<Integer> { final int a, b; Sum(int a, int b) { this.a = a; this.b = b; }
        protected Integer compute() { if (b - a == 1) return leaf(a); Sum l = new Sum(a, (a + b) / 2), r = new Sum((a + b) / 2, b); l.fork(); return r.compute() + l.join(); } }
    public static void main(String[] a) throws Exception {
        int rounds = Integer.parseInt(a[0]);
        ExecutorService e = Executors.newFixedThreadPool(3); ScheduledExecutorService s = Executors.newScheduledThreadPool(2); Timer t = new Timer(true);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < rounds; i++) { thread(); pool(e, all); fork(); future(); timer(t); scheduled(s); if (a.length > 1) virtual(); e.submit(() -> leaf(7)).get(); for (int k = 0; k < 5; k++) leaf(k); }
        for (Future<?> f : all) f.get();
        e.shutdown(); s.shutdown();
    }
}
