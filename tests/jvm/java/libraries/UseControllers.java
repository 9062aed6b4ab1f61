import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Two controllers, and their client, which prints each request with the status, the time in ms and the text that it had. */
@Configuration
@EnableAutoConfiguration
@Import({UseControllers.Stock.class, UseControllers.Mail.class, UseControllers.Orders.class, UseControllers.Parts.class})
public class UseControllers {
    static class Unknown extends RuntimeException {
        Unknown(long id) {
            super("no order " + id);
        }
    }

    record Part(String name, int left) {}

    static class Stock {
        private int taken;

        int take(String name, int count) {
            int left = 100 - taken;
            taken += count; // taken
            reserve(name, count);
            return left;
        }

        void reserve(String name, int count) {}
    }

    static class Mail {
        boolean send(String to, long id) {
            return true;
        }
    }

    @RestController
    static class Orders {
        private final Stock stock;
        private final Mail mail;

        Orders(Stock stock, Mail mail) {
            this.stock = stock;
            this.mail = mail;
        }

        @GetMapping("/orders/{id}")
        String find(@PathVariable("id") long id, @RequestParam(name = "rush", defaultValue = "false") boolean rush) throws Exception {
            if (id % 10 == 0) throw new Unknown(id);
            if (id == 33) Thread.sleep(700);
            stock.take("item-" + id % 5, (int) id % 7);
            return "found";
        }

        @PostMapping("/orders/{id}/shipped")
        String shipped(@PathVariable("id") long id, @RequestParam("to") String to) {
            return mail.send(to, id) ? "sent" : "not sent";
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.NOT_FOUND)
        String unknown(Unknown unknown) {
            return "unknown";
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        String conflict(IllegalStateException conflict) {
            return conflict.getMessage();
        }
    }

    @RestController
    static class Parts {
        private final Stock stock;

        Parts(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/parts/{name}")
        Part part(@PathVariable("name") String name) {
            return new Part(name, stock.take(name, 1));
        }

        @GetMapping("/parts/{name}/picture")
        byte[] picture(@PathVariable("name") String name, @RequestParam("size") int size) {
            return new byte[size];
        }
    }

    static HttpClient client = HttpClient.newHttpClient();
    static String server;

    static void ask(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + path)).method(method, HttpRequest.BodyPublishers.noBody()).build();
        long start = System.nanoTime();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(method + " " + path + " " + response.statusCode() + " " + (System.nanoTime() - start) / 1_000_000 + " " + response.body().trim());
    }

    public static void main(String[] arguments) throws Exception {
        SpringApplication application = new SpringApplication(UseControllers.class);
        application.setDefaultProperties(Map.of("server.port", "0", "logging.level.root", "ERROR", "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run()) {
            server = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
            for (int id = 1; id <= 60; id++) {
                ask("GET", "/orders/" + id + (id % 3 == 0 ? "?rush=true" : ""));
                if (id % 4 == 0) ask("POST", "/orders/" + id + "/shipped?to=" + (id % 8 == 0 ? "ann@example.org" : "bob@example.com"));
            }
            for (int i = 0; i < 20; i++) ask("GET", "/parts/item-" + i % 4);
            for (int i = 0; i < 12; i++) ask("GET", "/parts/item-0/picture?size=" + i * 100);
        }
        System.exit(0);
    }
}
