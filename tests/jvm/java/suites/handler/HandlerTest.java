package suite;

import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.*;

/** A test calls a handler itself, and through a server's thread; what comes after the handler is the test's. */
class HandlerTest {
    static final SynchronousQueue<Integer> requests = new SynchronousQueue<>(), answers = new SynchronousQueue<>();

    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    static void handle(int n) {
        leaves(n);
    }

    static void run() {
        try {
            while (true) {
                handle(requests.take());
                leaves(20);
                answers.put(0);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeAll static void start() {
        Thread server = new Thread(HandlerTest::run, "server");
        server.setDaemon(true);
        server.start();
    }

    @Test void calls() {
        leaves(1);
        handle(100);
        leaves(2);
    }

    @Test void asks() throws Exception {
        requests.put(200);
        answers.take();
        leaves(3);
    }
}
