import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A web application. Prints its port, and ends when its input does. */
@EnableAutoConfiguration
@RestController
public class Server {
    private final Orders orders;

    public Server(Orders orders) {
        this.orders = orders;
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("server.port", "0");
        System.setProperty("server.address", "127.0.0.1");
        System.setProperty("spring.main.banner-mode", "off");
        System.setProperty("logging.level.root", "OFF");
        ConfigurableApplicationContext context = SpringApplication.run(Server.class, arguments);
        System.out.println(context.getEnvironment().getProperty("local.server.port"));
        while (System.in.read() >= 0) {} // until the other side ends
        System.exit(0);
    }

    @Bean
    static Orders orders() {
        return new Orders();
    }

    @GetMapping("/load")
    public String load() {
        return "load " + orders.total(20);
    }

    @GetMapping("/order/{number}")
    public String order(@PathVariable("number") int number) {
        return "order " + orders.total(number);
    }

    /** What the application does. */
    public static class Orders {
        private final AtomicLong all = new AtomicLong();

        public long total(int items) {
            long sum = 0;
            for (int i = 0; i < items; i++) sum += price(i);
            all.addAndGet(sum);
            return sum;
        }

        long price(int item) {
            return item % 2 == 0 ? 100 : 250;
        }
    }
}
