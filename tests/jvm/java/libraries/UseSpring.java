import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shop: 4 requests for orders, of which 1 fails, and 2 for making some, each with a transaction, an event, and something done later; 1 job. */
@Configuration
@EnableAutoConfiguration
@EnableScheduling
@EnableAsync(proxyTargetClass = true)
@EnableCaching(proxyTargetClass = true)
@EnableTransactionManagement(proxyTargetClass = true)
public class UseSpring {
    static final CountDownLatch done = new CountDownLatch(3);

    public record Order(String item) {}

    @RestController
    @RequestMapping("/orders")
    public static class Orders {
        private final Stock stock;

        Orders(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/{id}")
        public Order get(@PathVariable("id") long id) {
            if (id == 0) throw new IllegalArgumentException();
            return new Order(stock.named(id % 2));
        }

        @PostMapping
        public String make(@RequestBody String item) {
            stock.take(new Order(item));
            stock.later();
            return "made";
        }

        @ExceptionHandler
        public String failed(IllegalArgumentException exception) {
            return "failed";
        }
    }

    public static class Stock {
        private final ApplicationEventPublisher events;

        public Stock(ApplicationEventPublisher events) {
            this.events = events;
        }

        @Cacheable("names")
        public String named(long id) {
            return "item " + id;
        }

        @Transactional
        public void take(Order order) {
            events.publishEvent(order);
        }

        @Async
        public void later() {
            done.countDown();
        }

        @EventListener
        public void taken(Order order) {}

        @Scheduled(fixedDelay = 1_000_000)
        public void job() {
            done.countDown();
        }
    }

    @Bean
    Stock stock(ApplicationEventPublisher events) {
        return new Stock(events);
    }

    @Bean
    CacheManager caches() {
        return new ConcurrentMapCacheManager();
    }

    @Bean
    PlatformTransactionManager transactions() {
        return new AbstractPlatformTransactionManager() {
            @Override
            protected Object doGetTransaction() {
                return this;
            }

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {}

            @Override
            protected void doCommit(DefaultTransactionStatus status) {}

            @Override
            protected void doRollback(DefaultTransactionStatus status) {}
        };
    }

    public static void main(String[] arguments) throws Exception {
        SpringApplication application = new SpringApplication(UseSpring.class);
        application.setDefaultProperties(Map.of("server.port", "0", "logging.level.root", "ERROR", "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run()) {
            URI orders = URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/orders");
            HttpClient client = HttpClient.newHttpClient();
            for (int id : List.of(1, 2, 3, 0)) client.send(HttpRequest.newBuilder(URI.create(orders + "/" + id)).build(), HttpResponse.BodyHandlers.discarding());
            for (int i = 0; i < 2; i++) {
                HttpRequest request = HttpRequest.newBuilder(orders).POST(HttpRequest.BodyPublishers.ofString("item")).build();
                client.send(request, HttpResponse.BodyHandlers.discarding());
            }
            done.await();
        }
    }
}
