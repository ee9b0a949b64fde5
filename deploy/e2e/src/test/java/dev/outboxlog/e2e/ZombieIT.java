package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.ServiceProcess;
import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that is frozen while it holds lanes, and wakes up after another has done its work, believes that the lanes are still its own. */
class ZombieIT {

    private static final int AGGREGATES = 200;
    private static final int EVENTS_OF_EACH = 80;
    private static final int EVENTS = AGGREGATES * EVENTS_OF_EACH;
    private static final int PARTITIONS = 6;
    private static final int ATTEMPTS = 5;
    private static final Duration DELIVERY = Duration.ofSeconds(60);

    /** Lanes that a process (?: its pid) holds and has not finished. */
    private static final String HELD = """
            SELECT count(*)
            FROM outbox_lane l
            WHERE l.owner LIKE ? || '@%'
              AND l.locked_until > clock_timestamp()
              AND EXISTS (SELECT FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor)
            """;

    private static final String LANES = """
            SELECT string_agg(concat_ws(' ', lane, epoch, cursor, owner, locked_until, claims_without_progress), chr(10) ORDER BY lane)
            FROM outbox_lane
            """;

    private TestSystem system;
    private Database database;

    @BeforeEach
    void start() throws Exception {
        system = new TestSystem();
        database = system.ordersDatabase();
    }

    @AfterEach
    void stop() throws Exception {
        system.close();
    }

    @Test
    void aProcessThatWakesUpAfterItsLeaseChangesNothing() throws Exception {
        // Given
        ServiceProcess zombie = system.startOrders();
        ServiceProcess other = system.startOtherOrders();
        // When
        String topic = freezeHolding(zombie, other);
        // Then: the other does it all
        awaitDelivered();
        String lanes = database.text(LANES);
        long ledger = ledger();
        // When
        zombie.thaw();
        // Then
        await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(6)).untilAsserted(() -> {
            assertThat(database.text(LANES)).isEqualTo(lanes);
            assertThat(ledger()).isEqualTo(ledger);
        });
        // And it has noticed
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(lostLeases() + lateClaims()).isPositive());
        assertThat(database.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThatEachEventIsThereAtMostTwiceAndInOrder(topic);
        // And it is a relay like any other again
        system.ordersManagement("/q/health/live").then().statusCode(200);
        String id = system.placeOrder();
        await().untilAsserted(() -> assertThat(system.records(id)).hasSize(1));
    }

    /**
     * Gives this process something to do, until it is caught with lanes in its hands of which it has sent events and not written that; the other
     * must not take them away before. Tells the topic of the events.
     */
    private String freezeHolding(ServiceProcess process, ServiceProcess other) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            String topic = "zombie-" + attempt;
            system.topics().create(topic, PARTITIONS, Map.of());
            long before = deliveredEvents();
            other.freeze();
            insertBacklog(topic);
            try (Sent sent = new Sent(topic)) {
                boolean seen = seenHolding(process, () -> sent.number() > deliveredEvents() - before);
                process.freeze();
                other.thaw();
                awaitSettled();
                if (seen && database.number(HELD, pid(process)) > 0 && sent.number() > deliveredEvents() - before) {
                    return topic;
                }
            }
            process.thaw();
            awaitDelivered();
        }
        throw new AssertionError("in " + ATTEMPTS + " attempts the process was never frozen while it held lanes");
    }

    private long deliveredEvents() {
        return database.number("SELECT COALESCE(sum(events), 0) FROM outbox_delivery");
    }

    /** How many records a topic has got. */
    private final class Sent implements AutoCloseable {

        private final KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", system.servers().kafka().bootstrapServers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        private final List<TopicPartition> partitions;

        Sent(String topic) {
            partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList();
        }

        long number() {
            return consumer.endOffsets(partitions).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private void insertBacklog(String topic) {
        database.execute("""
                INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                SELECT gen_random_uuid(), ?, 'test.event', 'test', ? || '-' || mod(n, ?), n / ? + 1,
                       json_build_object('n', n, 'text', repeat('x', 400))
                FROM generate_series(0, ?) AS n
                """, topic, topic, AGGREGATES, AGGREGATES, EVENTS - 1);
    }

    /** Whether the process is seen to hold lanes before all is delivered. Asks as often as it can: it is a matter of milliseconds. */
    private boolean seenHolding(ServiceProcess process, BooleanSupplier hasSent) throws SQLException {
        long deadline = System.nanoTime() + DELIVERY.toNanos();
        try (Connection connection = database.connect();
                PreparedStatement held = connection.prepareStatement(HELD);
                PreparedStatement left = connection.prepareStatement("SELECT count(*) FROM outbox_lane l WHERE EXISTS ("
                        + "SELECT FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor)")) {
            held.setString(1, pid(process));
            while (number(held) == 0 || !hasSent.getAsBoolean()) {
                if (number(left) == 0 || System.nanoTime() > deadline) {
                    return false;
                }
            }
            return true;
        }
    }

    private static long number(PreparedStatement query) throws SQLException {
        try (ResultSet result = query.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }

    /** What the frozen process has sent to the database before is carried out by now: no statement may take longer than a second. */
    private void awaitSettled() {
        String since = database.text("SELECT clock_timestamp()::text");
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(database.number(
                                "SELECT extract(epoch FROM clock_timestamp() - ?::timestamptz) * 1000", since))
                        .isGreaterThan(1200));
    }

    private void awaitDelivered() {
        await().atMost(DELIVERY)
                .untilAsserted(
                        () -> assertThat(database.number("SELECT count(*) FROM outbox WHERE status <> 'delivered'")
                                        + database.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                                .isZero());
    }

    private long ledger() {
        return database.number("SELECT count(*) FROM outbox_delivery");
    }

    private static String pid(ServiceProcess process) {
        return Long.toString(process.process().pid());
    }

    private double lostLeases() {
        return counter("outbox_leases_lost_total");
    }

    private double lateClaims() {
        return counter("outbox_claims_late_total");
    }

    private double counter(String name) {
        return system.ordersManagement("/q/metrics")
                .asString()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private void assertThatEachEventIsThereAtMostTwiceAndInOrder(String topic) {
        List<ConsumerRecord<String, String>> records = system.topics().read(topic);
        Map<String, Long> copies = TopicReader.ids(records).stream()
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(copies).hasSize(EVENTS);
        assertThat(copies.values()).allMatch(number -> number <= 2);
        List<String> inSequence = IntStream.rangeClosed(1, EVENTS_OF_EACH)
                .mapToObj(Integer::toString)
                .toList();
        Map<String, List<String>> sequences = records.stream()
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key,
                        Collectors.mapping(record -> TopicReader.header(record, "ce_sequence"), Collectors.toList())));
        assertThat(sequences).hasSize(AGGREGATES);
        assertThat(sequences.values())
                .allSatisfy(sequence -> assertThat(sequence.stream().distinct()).containsExactlyElementsOf(inSequence));
    }
}
