import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Work that the JDK divides among threads, or delays, by itself; each way calls `leaf` a number of times of its own. */
class Parallel {
    static void leaf() {}

    static void stream() {
        IntStream.range(0, 64).parallel().forEach(i -> leaf());
    }

    static void setAll() {
        Arrays.parallelSetAll(new int[100], i -> {
            leaf();
            return i;
        });
    }

    static void map() {
        var map = new ConcurrentHashMap<Integer, Integer>();
        for (int i = 0; i < 50; i++) map.put(i, i);
        map.forEach(1, (key, value) -> leaf());
    }

    static RecursiveAction leaves(int n) {
        return new RecursiveAction() {
            protected void compute() {
                for (int i = 0; i < n; i++) leaf();
            }
        };
    }

    static void invoked() {
        leaves(2).invoke();
        leaves(3).quietlyInvoke();
    }

    static void allInvoked() {
        ForkJoinTask.invokeAll(leaves(1), leaves(2));
        ForkJoinTask.invokeAll(leaves(3), leaves(4), leaves(5));
        ForkJoinTask.invokeAll(List.of(leaves(6), leaves(7)));
    }

    static void delayed() throws Exception {
        var later = CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS);
        CompletableFuture.runAsync(() -> leaf(), later).get();
    }

    static void timedOut() throws Exception {
        new CompletableFuture<Integer>().completeOnTimeout(1, 5, TimeUnit.MILLISECONDS).thenAccept(i -> leaf()).get();
        new CompletableFuture<Integer>().orTimeout(5, TimeUnit.MILLISECONDS).handle((i, e) -> {
            leaf();
            return 0;
        }).get();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            stream();
            setAll();
            map();
            invoked();
            allInvoked();
            delayed();
            timedOut();
            leaves(1).invoke();
        }
    }
}
