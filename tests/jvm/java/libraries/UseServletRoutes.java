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
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Routes of Spring MVC; 3 requests to each. */
@Configuration
@EnableAutoConfiguration
public class UseServletRoutes {
    @Bean
    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/items/{id}", UseServletRoutes::item)
                .path("/admin", admin -> admin.GET("/orders/{id}", UseServletRoutes::administered))
                .path("/guest", guest -> guest.GET("/visits/{id}", UseServletRoutes::visited))
                .build();
    }

    static ServerResponse item(ServerRequest request) {
        return ServerResponse.ok().body("7");
    }

    static ServerResponse administered(ServerRequest request) {
        return ServerResponse.ok().body("done");
    }

    static ServerResponse visited(ServerRequest request) {
        return ServerResponse.ok().body("seen");
    }

    public static void main(String[] arguments) throws Exception {
        SpringApplication application = new SpringApplication(UseServletRoutes.class);
        application.setDefaultProperties(Map.of("server.port", "0", "logging.level.root", "ERROR", "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run()) {
            String server = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
            for (int i = 0; i < 3; i++)
                for (String path : new String[] {"/items/7", "/admin/orders/7", "/guest/visits/7"}) {
                    HttpRequest request = HttpRequest.newBuilder(URI.create(server + path)).build();
                    HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                    if (response.statusCode() != 200) throw new IllegalStateException(path + ": " + response.body());
                }
        }
    }
}
