package app;

import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobExecutionContext;
import org.springframework.scheduling.annotation.*;

/** Jobs of Spring, of Quartz, and of the JDK's scheduler; each does its work so many times. */
public class Jobs {
    public static int each;
    public static final CountDownLatch DONE = new CountDownLatch(5);
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);

    static void leaf() {}

    static void later() {}

    /** Whether to work; false once the job has been done so many times. */
    static boolean goesOn(AtomicInteger times) {
        int now = times.incrementAndGet();
        if (now == each + 1) DONE.countDown();
        return now <= each;
    }

    public static class Spring {
        final AtomicInteger ticks = new AtomicInteger(), sweeps = new AtomicInteger();

        @Scheduled(fixedRate = 5)
        public void tick() {
            if (!goesOn(ticks)) return;
            leaf();
            POOL.execute(Jobs::later);
        }

        @Scheduled(fixedDelay = 5)
        public void sweep() {
            if (goesOn(sweeps)) leaf();
            if (sweeps.get() % 10 == 0) throw new IllegalStateException("as it should");
        }
    }

    public static class Bill implements Job {
        static final AtomicInteger TIMES = new AtomicInteger();

        @Override
        public void execute(JobExecutionContext context) {
            if (!goesOn(TIMES)) return;
            leaf();
            POOL.execute(Jobs::later);
        }
    }

    @DisallowConcurrentExecution
    public static class Mail implements Job {
        static final AtomicInteger TIMES = new AtomicInteger();

        @Override
        public void execute(JobExecutionContext context) {
            if (goesOn(TIMES)) leaf();
        }
    }

    /** No annotation says that this is a job: a rule has to. */
    public static class Plain implements Runnable {
        final AtomicInteger times = new AtomicInteger();

        @Override
        public void run() {
            if (goesOn(times)) leaf();
        }
    }

    /** What runs in no job, in the same threads. */
    public static void between() {}
}
