import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.StringEntity;

public class UseApache5 {
    public static void main(String[] args) throws Exception {
        try (Server server = new Server();
                CloseableHttpClient client = HttpClients.createDefault();
                CloseableHttpAsyncClient async = HttpAsyncClients.createDefault()) {
            for (int i = 0; i < 3; i++) client.execute(new HttpGet(server.url), new BasicHttpClientResponseHandler());
            HttpPost post = new HttpPost(server.url);
            post.setEntity(new StringEntity("x"));
            client.execute(post, new BasicHttpClientResponseHandler());
            client.execute(new HttpGet(server.url + "/old"), new BasicHttpClientResponseHandler());
            async.start();
            for (int i = 0; i < 2; i++) {
                SimpleHttpRequest request = SimpleRequestBuilder.get(server.url).build();
                async.execute(request, null).get();
            }
        }
    }
}
