package app.start;

import app.Shop;
import common.Load;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.springframework.context.annotation.*;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.*;
import org.springframework.util.backoff.FixedBackOff;

/** Spring's containers, with Kafka's consumer for tests in the place of a broker. */
public class Main {
    static int n;
    static boolean virtual;

    static class Consumers implements ConsumerFactory<String, String> {
        @Override
        public Consumer<String, String> createConsumer(String group, String prefix, String suffix) {
            return consumer();
        }

        @Override
        public Consumer<String, String> createConsumer(String group, String prefix, String suffix, Properties properties) {
            return consumer();
        }

        @Override
        public boolean isAutoCommit() {
            return false;
        }

        @Override
        public Map<String, Object> getConfigurationProperties() {
            return Map.of("enable.auto.commit", false, "group.id", "shop");
        }

        private Consumer<String, String> consumer() {
            return new MockConsumer<>("earliest") {
                @Override
                public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
                    super.subscribe(topics, listener);
                    schedulePollTask(() -> {
                        TopicPartition partition = new TopicPartition(topics.iterator().next(), 0);
                        updateBeginningOffsets(Map.of(partition, 0L));
                        rebalance(List.of(partition));
                        for (int i = 0; i < n; i++) addRecord(new ConsumerRecord<>(partition.topic(), 0, i, "key", "order" + i));
                    });
                }

                @Override
                public ConsumerRecords<String, String> poll(Duration limit) {
                    ConsumerRecords<String, String> found = super.poll(limit);
                    if (found.isEmpty()) LockSupport.parkNanos(10_000_000); // it does not wait for records
                    return found;
                }
            };
        }
    }

    @Configuration
    @EnableKafka
    public static class Config {
        @Bean
        public Shop.Listeners listeners() {
            return new Shop.Listeners();
        }

        @Bean
        public Shop.Typed typed() {
            return new Shop.Typed();
        }

        @Bean
        public ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
            ConcurrentKafkaListenerContainerFactory<String, String> factory = new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new Consumers());
            DefaultErrorHandler handler = new DefaultErrorHandler(Shop::recover, new FixedBackOff(0, 0));
            handler.setSeekAfterError(false); // the consumer for tests delivers nothing twice
            factory.setCommonErrorHandler(handler);
            if (virtual) {
                SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("listener");
                executor.setVirtualThreads(true);
                factory.getContainerProperties().setListenerTaskExecutor(executor);
            }
            return factory;
        }

        @Bean
        public KafkaMessageListenerContainer<String, String> plain() {
            ContainerProperties properties = new ContainerProperties("plain");
            properties.setGroupId("plain");
            properties.setMessageListener(new Shop.Plain());
            return new KafkaMessageListenerContainer<>(new Consumers(), properties);
        }
    }

    public static void main(String[] args) throws Exception {
        n = Integer.parseInt(args[1]);
        virtual = args[0].equals("virtual");
        Shop.done = new CountDownLatch(5 * n);
        new AnnotationConfigApplicationContext(Config.class);
        Shop.done.await();
        Load.expect("app.Shop$Listeners.order", "leaf", n, "later", n);
        Load.expect("app.Shop$Listeners.batch", "leaf", n);
        Load.expect("app.Shop$Listeners.fails", "leaf", n);
        Load.expect("app.Shop$Typed.text", "leaf", n);
        Load.expect("app.Shop$Plain.onMessage", "leaf", n);
        Load.expect("-", "errors", n); // the listener has ended
        Load.end();
    }
}
