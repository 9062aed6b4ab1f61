package app.start;

import app.Jobs;
import common.Load;
import java.util.concurrent.*;
import org.quartz.*;
import org.quartz.impl.StdSchedulerFactory;
import org.springframework.context.annotation.*;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.*;

public class Main {
    static boolean virtual;

    @Configuration
    @EnableScheduling
    public static class Config {
        @Bean
        public Jobs.Spring jobs() {
            return new Jobs.Spring();
        }

        @Bean
        public TaskScheduler taskScheduler() {
            if (virtual) {
                SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
                scheduler.setVirtualThreads(true);
                return scheduler;
            }
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setPoolSize(3);
            return scheduler;
        }
    }

    static void schedule(Scheduler scheduler, Class<? extends Job> job) throws SchedulerException {
        SimpleScheduleBuilder often = SimpleScheduleBuilder.simpleSchedule().withIntervalInMilliseconds(5).repeatForever();
        scheduler.scheduleJob(JobBuilder.newJob(job).build(), TriggerBuilder.newTrigger().withSchedule(often).build());
    }

    public static void main(String[] args) throws Exception {
        int n = Jobs.each = Integer.parseInt(args[1]);
        virtual = args[0].equals("virtual");
        java.util.logging.LogManager.getLogManager().reset();
        ScheduledThreadPoolExecutor plain = new ScheduledThreadPoolExecutor(2);
        plain.scheduleAtFixedRate(new Jobs.Plain(), 0, 5, TimeUnit.MILLISECONDS);
        new AnnotationConfigApplicationContext(Config.class);
        Scheduler scheduler = StdSchedulerFactory.getDefaultScheduler();
        schedule(scheduler, Jobs.Bill.class);
        schedule(scheduler, Jobs.Mail.class);
        scheduler.start();
        Jobs.DONE.await();
        for (int i = 0; i < n; i++) plain.submit(Jobs::between).get();
        Load.expect("app.Jobs$Spring.tick", "leaf", n, "later", n);
        Load.expect("app.Jobs$Spring.sweep", "leaf", n);
        Load.expect("app.Jobs$Bill.execute", "leaf", n, "later", n);
        Load.expect("app.Jobs$Mail.execute", "leaf", n);
        Load.expect("app.Jobs$Plain.run", "leaf", n);
        Load.expect("-", "between", n);
        Load.end();
    }
}
