package dev.outboxlog.local.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads all that a topic holds, without a group. */
public final class TopicReader {

    private final String bootstrapServers;

    /**
     * @param bootstrapServers {@code host:port} of the broker
     */
    public TopicReader(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** A reader of the broker that {@link LocalServersListener} has told the module under test to use. */
    public static TopicReader ofModule() {
        return new TopicReader(System.getProperty("kafka.bootstrap.servers"));
    }

    /** Creates a topic with so many partitions. */
    public void create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        }
    }

    /** What the topic holds now: each partition's records in order. Empty if there is no such topic. */
    public List<ConsumerRecord<String, String>> read(String topic) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "enable.auto.commit",
                "false",
                "allow.auto.create.topics",
                "false");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            if (!consumer.listTopics().containsKey(topic)) {
                return records;
            }
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (!hasReached(consumer, ends)) {
                consumer.poll(Duration.ofMillis(50)).forEach(records::add);
            }
        }
        return records;
    }

    private static boolean hasReached(KafkaConsumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    /** The value of a header that occurs once. */
    public static String header(ConsumerRecord<?, ?> record, String name) {
        Collection<Header> headers = new ArrayList<>();
        record.headers().headers(name).forEach(headers::add);
        if (headers.size() != 1) {
            throw new AssertionError(headers.size() + " headers " + name);
        }
        return new String(headers.iterator().next().value(), StandardCharsets.UTF_8);
    }

    /** The events' ids, in the order of the records. */
    public static List<String> ids(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(record -> header(record, "ce_id")).toList();
    }
}
