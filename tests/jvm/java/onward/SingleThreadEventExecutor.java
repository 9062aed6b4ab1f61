package io.netty.util.concurrent;

import java.util.concurrent.LinkedBlockingQueue;

/** A queue with the names of Netty's, whose tasks the JDK knows nothing about. */
public class SingleThreadEventExecutor extends AbstractEventExecutor {
    private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::loop);
    private volatile boolean ended;

    public SingleThreadEventExecutor() {
        thread.start();
    }

    public void execute(Runnable task) {
        addTask(task);
    }

    protected void addTask(Runnable task) {
        queue.add(task);
    }

    private void loop() {
        try {
            while (!ended || !queue.isEmpty()) {
                Runnable task = queue.take();
                runTask(task);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public void end() throws InterruptedException {
        addTask(() -> ended = true);
        thread.join();
    }
}
