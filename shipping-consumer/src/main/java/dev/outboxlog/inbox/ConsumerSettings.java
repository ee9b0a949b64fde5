package dev.outboxlog.inbox;

import io.smallrye.common.annotation.Identifier;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Makes consumers: where the broker is and how to log in come from {@code kafka.*}, what the inbox relies on is pinned. */
@Singleton
class ConsumerSettings {

    private final Map<String, Object> common;
    private final InboxConfig config;

    ConsumerSettings(@Identifier("default-kafka-broker") Map<String, Object> common, InboxConfig config) {
        this.common = common;
        this.config = config;
    }

    Consumer<byte[], byte[]> newConsumer() {
        Map<String, Object> settings = new HashMap<>(common);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, config.group());
        // A first start after the first events must see them.
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // Offsets follow the database's commit, never the clock.
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, config.batch().maxRecords());
        settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, config.batch().fetchMaxBytes());
        settings.put(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, config.batch().partitionMaxBytes());
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
