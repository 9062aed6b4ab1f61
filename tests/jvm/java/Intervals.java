import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Messages that wait in a queue, requests with an answer in another thread, and some that never end. */
public class Intervals {
    static final class Message {
        final int n;
        Message(int n) { this.n = n; }
        @Override public boolean equals(Object o) { return o instanceof Message; } // all are equal, none is the same
        @Override public int hashCode() { return 1; }
    }

    static final class Queue {
        final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
        void put(Message m) throws Exception { messages.put(m); }
        Message take() throws Exception { return messages.take(); }
    }

    static void request(String id) { }
    static long answer(long ms, String id) { return ms; }
    static long number() { return 7; }
    static void same(Long n) { }
    static void open(Object o) { }
    static void again(int n) { }
    static void left(Object key) { }
    static void right(Object key) { }
    enum Color { RED }
    enum Fruit { RED }
    static void close(Object o) { }

    public static void main(String[] words) throws Exception {
        Queue queue = new Queue();
        Thread taker = new Thread(() -> {
            try {
                for (int i = 0; i < 20; i++) queue.take();
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        for (int i = 0; i < 20; i++) queue.put(new Message(i));
        Thread.sleep(60);
        taker.start();
        taker.join();
        for (int i = 0; i < 10; i++) request("r" + i);
        request(null);
        Thread.sleep(30);
        for (int i = 9; i >= 3; i--) answer(i, new String("r" + i));
        answer(0, "unknown");
        answer(3, "r3"); // has ended
        for (int i = 0; i < 5; i++) {
            again(1);
            Thread.sleep(2);
        }
        String longText = "x".repeat(2000);
        left(longText + 1);
        left(longText + 2);
        right(longText + 3);
        right(longText + 2); // 1
        left(Color.RED);
        right(Fruit.RED);
        right(Color.RED); // 2
        left(1.5);
        right(1.5f); // 3
        number();
        same(7L);
        for (int i = 0; i < 120_000; i++) {
            open(new byte[1]);
            if (i == 60_000) System.gc();
        }
        close(new byte[1]);
    }
}
