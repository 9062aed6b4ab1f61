package io.netty.util.concurrent;

public class AbstractEventExecutor {
    protected static void runTask(Runnable task) {
        task.run();
    }
}
