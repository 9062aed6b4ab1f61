import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

public class UseExecutors {
    static class Told implements Runnable {
        public void run() {}
    }

    static class Submitted implements Runnable {
        public void run() {}
    }

    static class Asked implements Callable<Integer> {
        public Integer call() {
            return 1;
        }
    }

    static class Supplied implements Supplier<Integer> {
        public Integer get() {
            return 1;
        }
    }

    static class Applied implements Function<Integer, Integer> {
        public Integer apply(Integer n) {
            return n + 1;
        }
    }

    static class Sum extends RecursiveTask<Integer> {
        final int n;

        Sum(int n) {
            this.n = n;
        }

        protected Integer compute() {
            if (n == 0) return 1;
            Sum other = new Sum(n - 1);
            other.fork();
            return new Sum(n - 1).invoke() + other.join();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 5; i++) pool.execute(new Told());
        for (int i = 0; i < 4; i++) pool.submit(new Submitted()).get();
        for (int i = 0; i < 3; i++) pool.submit(new Asked()).get();
        for (int i = 0; i < 2; i++) CompletableFuture.supplyAsync(new Supplied(), pool).thenApplyAsync(new Applied(), pool).get();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        timer.schedule(new Asked(), 1, TimeUnit.MILLISECONDS).get();
        timer.shutdown();
        ForkJoinPool forks = new ForkJoinPool(2);
        System.out.println(forks.invoke(new Sum(3)));
        for (int i = 0; i < 2; i++) CompletableFuture.supplyAsync(new Supplied(), forks).thenApplyAsync(new Applied(), forks).get();
        forks.shutdown();
    }
}
