import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

public class UseLogback {
    public static void main(String[] args) {
        LoggerContext context = new LoggerContext();
        Logger root = context.getLogger("ROOT");
        root.setLevel(Level.INFO);
        for (int i = 0; i < 2; i++) {
            ListAppender<ILoggingEvent> appender = new ListAppender<>();
            appender.start();
            root.addAppender(appender);
        }
        Logger logger = context.getLogger("shop.Orders");
        for (int i = 0; i < 3; i++) {
            logger.info("placed {}", i);
            logger.debug("not seen {}", i);
        }
        logger.warn("late", new Exception());
        context.getLogger("shop.Stock").info("a {} b {} c {}", 1, 2, 3);
        System.out.println("done");
    }
}
