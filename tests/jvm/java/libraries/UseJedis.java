import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;

/** 4 SET, 3 GET, of which 1 each in a pipeline, and 1 SET in a transaction. */
public class UseJedis {
    public static void main(String[] arguments) throws Exception {
        JedisClientConfig config = DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP2).build();
        try (Redis server = new Redis(); 
                RedisClient client = RedisClient.builder().hostAndPort("localhost", server.port).clientConfig(config).build()) {
            for (int i = 0; i < 2; i++) client.set("key" + i, "value");
            for (int i = 0; i < 2; i++) client.get("key" + i);
            try (Pipeline pipeline = client.pipelined()) {
                pipeline.set("piped", "1");
                pipeline.get("piped");
                pipeline.sync();
            }
            try (AbstractTransaction transaction = client.multi()) {
                transaction.set("whole", "1");
                transaction.exec();
            }
        }
    }
}
