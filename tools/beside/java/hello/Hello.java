package hello;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Some classes, threads and output. */
public final class Hello {
    private Hello() {
    }

    public static void main(String[] args) throws Exception {
        System.out.print(text());
    }

    /** The counts of four workers, two on their own threads and two in a pool. */
    public static String text() throws Exception {
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) workers.add(new Worker(i));
        Thread[] threads = {new Thread(workers.get(0)), new Thread(workers.get(1))};
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<?>> futures = new ArrayList<>();
        for (Worker worker : workers.subList(2, 4)) futures.add(pool.submit(worker));
        for (Thread t : threads) t.start();
        for (Thread t : threads) t.join();
        for (Future<?> future : futures) future.get();
        pool.shutdown();
        StringBuilder text = new StringBuilder();
        for (Worker worker : workers) text.append(line(worker));
        return text.toString();
    }

    private static String line(Worker worker) {
        return worker + "\n";
    }
}
