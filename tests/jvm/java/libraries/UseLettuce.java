import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** 4 SET, 3 GET, of which 1 each asynchronously, and 1 SET by Reactor. */
public class UseLettuce {
    public static void main(String[] arguments) throws Exception {
        Redis server = new Redis();
        RedisClient client = RedisClient.create(RedisURI.create("localhost", server.port));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            for (int i = 0; i < 2; i++) connection.sync().set("key" + i, "value");
            for (int i = 0; i < 2; i++) connection.sync().get("key" + i);
            connection.async().set("later", "1").get();
            connection.async().get("later").get();
            connection.reactive().set("reactive", "1").block();
        }
        client.shutdown(Duration.ZERO, Duration.ZERO);
        server.close();
    }
}
