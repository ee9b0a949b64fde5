package dev.outboxlog.bench;

import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads a topic and says when the last of the expected events came, which came more than once, and whether each aggregate's came in order.
 * An event's number is the first number in its payload.
 */
final class Receiver implements AutoCloseable {

    private final int expected;
    private final BitSet seen;
    private final Map<String, Integer> lastOfAggregate = new HashMap<>();
    private final KafkaConsumer<String, byte[]> consumer;
    private int copies;
    private int outOfOrder;
    private long firstSentMillis = Long.MAX_VALUE;
    private long lastSeenMillis;

    /**
     * What was received.
     *
     * @param millis from the first event's sending to the last one's receipt
     * @param copies records beyond the first of their event
     * @param outOfOrder events first seen after a later one of their aggregate
     */
    record Result(int events, long millis, int copies, int outOfOrder) {
        double perSecond() {
            return events * 1000.0 / millis;
        }
    }

    Receiver(String bootstrapServers, String topic, int partitions, int expected) {
        this.expected = expected;
        seen = new BitSet(expected);
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "max.poll.records", "5000",
                        "fetch.max.wait.ms", "100"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        consumer.assign(all);
        consumer.seekToBeginning(all);
    }

    /**
     * Reads until every expected event has come.
     *
     * @throws TimeoutException if none came for a minute
     */
    Result receiveAll() throws TimeoutException {
        long lastProgress = System.nanoTime();
        while (seen.cardinality() < expected) {
            int before = seen.cardinality();
            consumer.poll(Duration.ofMillis(100)).forEach(this::received);
            if (seen.cardinality() > before) {
                lastProgress = System.nanoTime();
            } else if (System.nanoTime() - lastProgress > Duration.ofMinutes(1).toNanos()) {
                throw new TimeoutException("only " + before + " of " + expected + " events came");
            }
        }
        return new Result(expected, lastSeenMillis - firstSentMillis, copies, outOfOrder);
    }

    private void received(ConsumerRecord<String, byte[]> record) {
        int number = Payloads.number(record.value());
        firstSentMillis = Math.min(firstSentMillis, record.timestamp());
        lastSeenMillis = System.currentTimeMillis();
        if (seen.get(number)) {
            copies++;
            return;
        }
        seen.set(number);
        Integer before = lastOfAggregate.get(record.key());
        if (before != null && before > number) {
            outOfOrder++;
        } else {
            lastOfAggregate.put(record.key(), number);
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
