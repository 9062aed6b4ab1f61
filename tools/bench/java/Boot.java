import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Starts a web application of Spring Boot's, and ends. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Boot {
    public static void main(String[] args) {
        SpringApplication.run(Boot.class, "--server.port=0", "--spring.main.banner-mode=off", "--logging.level.root=error").close();
    }
}
