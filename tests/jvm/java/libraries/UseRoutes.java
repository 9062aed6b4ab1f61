import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Routes of WebFlux, and methods that go on when an answer has come; 3 requests to each. */
@Configuration
@EnableAutoConfiguration
public class UseRoutes {
    private static WebClient client;
    private static int nobody;

    @RestController
    public static class Shop {
        @GetMapping("/stock")
        public Mono<String> stock() {
            return Mono.just("7");
        }

        @GetMapping("/price")
        public Mono<String> price() {
            return answer().map(UseRoutes::priced);
        }

        @GetMapping("/status")
        public Mono<String> status() {
            return client.get().uri("/stock").exchangeToMono(response -> checked(response.statusCode().value()));
        }

        @GetMapping("/refused")
        public Mono<String> refused() {
            Mono<String> answer = client.get().uri("http://localhost:" + nobody + "/").retrieve().bodyToMono(String.class);
            return answer.onErrorResume(WebClientRequestException.class, UseRoutes::without);
        }
    }

    static Mono<String> answer() {
        return client.get().uri("/stock").retrieve().bodyToMono(String.class);
    }

    static String priced(String stock) {
        return stock + " at 5";
    }

    static Mono<String> checked(int status) {
        return Mono.just("status " + status);
    }

    static Mono<String> without(Exception reason) {
        return Mono.just("0");
    }

    @Bean
    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/items/{id}", UseRoutes::item)
                .path("/admin", admin -> admin.GET("/{id}", UseRoutes::administered))
                .path("/guest", guest -> guest.GET("/{id}", UseRoutes::visited))
                .build();
    }

    static Mono<ServerResponse> item(ServerRequest request) {
        return answer().map(UseRoutes::counted).flatMap(ServerResponse.ok()::bodyValue);
    }

    static String counted(String stock) {
        return stock;
    }

    static Mono<ServerResponse> administered(ServerRequest request) {
        return ServerResponse.ok().bodyValue("done");
    }

    static Mono<ServerResponse> visited(ServerRequest request) {
        return ServerResponse.ok().bodyValue("seen");
    }

    public static void main(String[] arguments) throws Exception {
        try (ServerSocket closed = new ServerSocket(0)) {
            nobody = closed.getLocalPort();
        }
        SpringApplication application = new SpringApplication(UseRoutes.class);
        application.setDefaultProperties(Map.of("server.port", "0", "logging.level.root", "ERROR", "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run()) {
            String server = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
            client = WebClient.create(server);
            for (int i = 0; i < 3; i++)
                for (String path : new String[] {"/price", "/status", "/refused", "/items/7", "/admin/7", "/guest/7"}) {
                    HttpRequest request = HttpRequest.newBuilder(URI.create(server + path)).build();
                    HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                    if (response.statusCode() != 200) throw new IllegalStateException(path + ": " + response.body());
                }
        }
    }
}
