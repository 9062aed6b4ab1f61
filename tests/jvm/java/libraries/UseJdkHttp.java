import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class UseJdkHttp {
    public static void main(String[] args) throws Exception {
        try (Server server = new Server()) {
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest get = HttpRequest.newBuilder(URI.create(server.url)).build();
            HttpRequest post = HttpRequest.newBuilder(URI.create(server.url)).POST(HttpRequest.BodyPublishers.ofString("x")).build();
            for (int i = 0; i < 3; i++) client.send(get, BodyHandlers.ofString());
            client.send(post, BodyHandlers.ofString());
            for (int i = 0; i < 2; i++) client.sendAsync(get, BodyHandlers.ofString()).get();
            for (String path : new String[] {"/a", "/old"}) {
                HttpURLConnection connection = (HttpURLConnection) URI.create(server.url + path).toURL().openConnection();
                connection.getResponseCode();
                connection.getInputStream().readAllBytes();
                connection.getHeaderField("Content-Length");
            }
        }
    }
}
