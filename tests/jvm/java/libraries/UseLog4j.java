import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

public class UseLog4j {
    public static void main(String[] args) {
        ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        String pattern = args[0];
        for (String name : new String[] {"one", "two"})
            builder.add(
                    builder.newAppender(name, "Console")
                            .add(builder.newLayout("PatternLayout").addAttribute("pattern", pattern)));
        builder.add(
                builder.newRootLogger(Level.INFO)
                        .add(builder.newAppenderRef("one"))
                        .add(builder.newAppenderRef("two")));
        builder.add(builder.newLogger("shop", Level.INFO).add(builder.newAppenderRef("one")));
        Configurator.initialize(builder.build());
        Logger logger = LogManager.getLogger("shop.Orders");
        for (int i = 0; i < 3; i++) {
            logger.info("placed {}", i);
            logger.debug("not seen {}", i);
        }
        logger.warn("late", new Exception("why"));
        LogManager.getLogger("shop.Stock").info("a {} b {} c {}", 1, 2, 3);
    }
}
