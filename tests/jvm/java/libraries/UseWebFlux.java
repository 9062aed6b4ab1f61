import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** 3 requests for orders. */
@Configuration
@EnableAutoConfiguration
public class UseWebFlux {
    @RestController
    public static class Orders {
        @GetMapping("/orders/{id}")
        public Mono<String> get(@PathVariable("id") long id) {
            return Mono.just("order " + id);
        }
    }

    public static void main(String[] arguments) throws Exception {
        SpringApplication application = new SpringApplication(UseWebFlux.class);
        application.setDefaultProperties(Map.of("server.port", "0", "logging.level.root", "ERROR", "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run()) {
            String orders = "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/orders/";
            for (int id = 0; id < 3; id++)
                HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(orders + id)).build(), HttpResponse.BodyHandlers.discarding());
        }
    }
}
