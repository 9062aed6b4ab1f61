package suite;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.*;

/** Threads that no test started: a server's, which takes its work from a queue, and a pool's, which was filled by a class before. */
class ServerTest {
    static final SynchronousQueue<Integer> requests = new SynchronousQueue<>(), answers = new SynchronousQueue<>();
    static final ExecutorService pool = Executors.newFixedThreadPool(1, ServerTest::daemon);

    static Thread daemon(Runnable work) {
        Thread made = new Thread(work, "server");
        made.setDaemon(true);
        return made;
    }

    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    static int serve(int n) {
        leaves(n);
        return n;
    }

    static void run() {
        try {
            while (true) answers.put(serve(requests.take()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void ask(int n) throws Exception {
        requests.put(n);
        answers.take();
    }

    @BeforeAll static void start() throws Exception {
        daemon(ServerTest::run).start();
        ask(1000);
        pool.submit(() -> leaves(2000)).get();
    }

    @Test void one() throws Exception { ask(1); leaves(100); ask(10); }
    @Test void two() throws Exception { ask(2); pool.submit(() -> leaves(200)).get(); }
    @Test void three() throws Exception { leaves(3); ask(30); }
}
