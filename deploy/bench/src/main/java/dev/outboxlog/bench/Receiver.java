package dev.outboxlog.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic and notes when each of the expected events came, which came more than once, and whether each aggregate's came in order. */
final class Receiver implements AutoCloseable {

    /** Who is slower than that is not waited for. */
    private static final int FEWEST_PER_SECOND = 20;

    private final int expected;
    private final Duration patience;
    private final ToIntFunction<byte[]> numberOf;
    private final long[] arrivals;
    private final Map<String, Integer> lastOfAggregate = new HashMap<>();
    private final KafkaConsumer<String, byte[]> consumer;
    private int distinct;
    private int copies;
    private int outOfOrder;
    private long firstSentMillis = Long.MAX_VALUE;

    /** Who wants to know how it goes. Called on the receiving thread, so do little. */
    interface Watch {
        /** The first event has come. */
        default void first() {}

        /** Nothing may have come; throws where nothing will come any more. */
        default void check() {}
    }

    /**
     * @param expected events have the numbers from 0 to one less; others are passed over
     * @param patience how long nothing may come before it is given up
     * @param numberOf an event's number, from its payload
     */
    Receiver(String bootstrapServers, String topic, int expected, Duration patience, ToIntFunction<byte[]> numberOf) {
        this.expected = expected;
        this.patience = patience;
        this.numberOf = numberOf;
        arrivals = new long[expected];
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "max.poll.records", "5000",
                        "fetch.max.wait.ms", "100"),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> all = IntStream.range(0, Testbed.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        consumer.assign(all);
        consumer.seekToBeginning(all);
        all.forEach(consumer::position);
    }

    /**
     * Reads until every expected event has come.
     *
     * @throws TimeoutException if none came for too long, or if it would take for ever
     */
    Received receiveAll(Watch watch) throws TimeoutException {
        long lastProgress = System.nanoTime();
        long atMostSeconds = patience.toSeconds() + expected / FEWEST_PER_SECOND;
        long deadline = lastProgress + TimeUnit.SECONDS.toNanos(atMostSeconds);
        while (distinct < expected) {
            int before = distinct;
            ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofMillis(100));
            long now = micros();
            records.forEach(record -> received(record, now));
            if (before == 0 && distinct > 0) {
                watch.first();
            }
            if (distinct > before) {
                lastProgress = System.nanoTime();
            } else if (System.nanoTime() - lastProgress > patience.toNanos()) {
                throw new TimeoutException("only %d of %d events came, and none for %d s"
                        .formatted(before, expected, patience.toSeconds()));
            } else {
                watch.check();
            }
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(
                        "only %d of %d events came within %d s".formatted(distinct, expected, atMostSeconds));
            }
        }
        return received();
    }

    /** Goes on for a while after the last event, to see whether anything comes a second time. */
    Received receiveCopies(Duration during) {
        long until = System.nanoTime() + during.toNanos();
        while (System.nanoTime() < until) {
            long now = micros();
            consumer.poll(Duration.ofMillis(100)).forEach(record -> received(record, now));
        }
        return received();
    }

    private Received received() {
        return new Received(firstSentMillis * 1000, arrivals, copies, outOfOrder);
    }

    /** The same on a thread of its own, for those who have to insert meanwhile. */
    CompletableFuture<Received> inBackground(List<Child> deliverers) {
        Watch alive = new Watch() {
            @Override
            public void check() {
                deliverers.forEach(Child::requireAlive);
            }
        };
        return CompletableFuture.supplyAsync(() -> {
            try {
                return receiveAll(alive);
            } catch (TimeoutException e) {
                throw new IllegalStateException(Child.explain(e, deliverers), e);
            }
        });
    }

    /** The wall clock, which producers' timestamps and the database's clock are of, too. */
    static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    private void received(ConsumerRecord<String, byte[]> record, long now) {
        int number = numberOf.applyAsInt(record.value());
        if (number < 0 || number >= expected) {
            return;
        }
        firstSentMillis = Math.min(firstSentMillis, record.timestamp());
        if (arrivals[number] != 0) {
            copies++;
            return;
        }
        arrivals[number] = now;
        distinct++;
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
