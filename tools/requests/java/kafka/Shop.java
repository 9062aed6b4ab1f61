package app;

import java.util.List;
import java.util.concurrent.*;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.MessageListener;

/** Listeners of spring-kafka: one record, a batch, one that fails, one by the type of the message, and one without annotations. */
public class Shop {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    public static CountDownLatch done;

    static void leaf() {}

    static void later() {}

    static void errors() {}

    public static class Listeners {
        @KafkaListener(topics = "orders", id = "orders")
        public void order(String order) {
            leaf();
            POOL.execute(() -> {
                later();
                done.countDown();
            });
        }

        @KafkaListener(topics = "batches", id = "batches", batch = "true")
        public void batch(List<String> orders) {
            for (String order : orders) {
                leaf();
                done.countDown();
            }
        }

        @KafkaListener(topics = "failing", id = "failing")
        public void fails(String order) {
            leaf();
            throw new IllegalStateException("as it should");
        }
    }

    @KafkaListener(topics = "typed", id = "typed")
    public static class Typed {
        @KafkaHandler
        public void text(String order) {
            leaf();
            done.countDown();
        }

        @KafkaHandler(isDefault = true)
        public void other(Object order) {}
    }

    public static class Plain implements MessageListener<String, String> {
        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            leaf();
            done.countDown();
        }
    }

    /** The container calls it for what a listener has thrown. */
    public static void recover(ConsumerRecord<?, ?> record, Exception thrown) {
        errors();
        done.countDown();
    }
}
