import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.BasicResponseHandler;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;

public class UseApache4 {
    public static void main(String[] args) throws Exception {
        try (Server server = new Server(); CloseableHttpClient client = HttpClients.createDefault()) {
            for (int i = 0; i < 3; i++) client.execute(new HttpGet(server.url), new BasicResponseHandler());
            HttpPost post = new HttpPost(server.url);
            post.setEntity(new StringEntity("x"));
            client.execute(post).close();
            client.execute(new HttpGet(server.url + "/old"), new BasicResponseHandler());
        }
    }
}
