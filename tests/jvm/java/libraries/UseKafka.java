import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.SupportedVersionRange;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;

/** Starts a broker in the folder of the first argument; sends 5 records to `orders` and 3 to `parts`, and receives them with each group protocol. */
public class UseKafka {
    static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static KafkaRaftServer broker(Path folder, int port) throws Exception {
        int controller = freePort();
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("meta.properties"), "version=1\nnode.id=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qk\ndirectory.id=A1b2C3d4E5f6G7h8I9j0Kw\n");
        Properties config = new Properties();
        config.putAll(Map.of( // how often members of a group say that they are there
                "group.consumer.heartbeat.interval.ms", "100",
                "group.consumer.min.heartbeat.interval.ms", "100"));
        config.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "log.dirs", folder.toString(),
                "listeners", "PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controller,
                "controller.listener.names", "CONTROLLER",
                "controller.quorum.voters", "1@localhost:" + controller,
                "offsets.topic.replication.factor", "1",
                "offsets.topic.num.partitions", "1",
                "group.initial.rebalance.delay.ms", "0",
                "num.partitions", "1"));
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(config), Time.SYSTEM);
        server.startup();
        return server;
    }

    /** Whatever the broker can do; at first it does only what its oldest version did. */
    static void enable(Map<String, Object> common) throws Exception {
        try (Admin admin = Admin.create(common)) {
            Map<String, SupportedVersionRange> features = admin.describeFeatures().featureMetadata().get().supportedFeatures();
            for (String name : List.of("metadata.version", "group.version")) {
                FeatureUpdate update = new FeatureUpdate(features.get(name).maxVersion(), FeatureUpdate.UpgradeType.UPGRADE);
                admin.updateFeatures(Map.of(name, update), new UpdateFeaturesOptions()).all().get();
            }
        }
    }

    static void receive(Map<String, Object> common, String protocol) {
        Properties config = new Properties();
        config.putAll(common);
        config.putAll(Map.of("group.id", protocol, "group.protocol", protocol, "auto.offset.reset", "earliest", "enable.auto.commit", "false"));
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders", "parts"));
            for (int received = 0; received < 8;) received += consumer.poll(Duration.ofMillis(200)).count();
            consumer.commitSync();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int port = freePort();
        KafkaRaftServer server = broker(Path.of(arguments[0]), port);
        Map<String, Object> common = Map.of("bootstrap.servers", "localhost:" + port);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(common, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < 5; i++) producer.send(new ProducerRecord<>("orders", "order " + i));
            for (int i = 0; i < 3; i++) producer.send(new ProducerRecord<>("parts", "part " + i), (metadata, exception) -> {});
        }
        enable(common);
        for (String protocol : List.of("classic", "consumer")) receive(common, protocol);
        Runtime.getRuntime().halt(0);
    }
}
