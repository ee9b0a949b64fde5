package dev.outboxlog.outbox;

import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.outbox.RelayWorker.Cycle;
import dev.outboxlog.outbox.RelayWorker.Mode;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaProducer;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Makes relays that a test moves step by step, and events for them. */
@ApplicationScoped
public class TestRelays {

    /** Any time-out that a test does not wait for. */
    static final Duration LONG = Duration.ofMinutes(1);

    private final LaneClaims claims;
    private final LaneAdvances advances;
    private final KafkaClientService kafka;
    private final MeterRegistry registry;
    private final OutboxMetrics metrics;

    TestRelays(
            LaneClaims claims,
            LaneAdvances advances,
            KafkaClientService kafka,
            MeterRegistry registry,
            OutboxMetrics metrics) {
        this.claims = claims;
        this.advances = advances;
        this.kafka = kafka;
        this.registry = registry;
        this.metrics = metrics;
    }

    /** A relay with a name, and all that belongs to it. */
    record TestRelay(RelayWorker worker, StopSignal stop, Outage outage) {

        Cycle cycle() throws InterruptedException {
            return worker.cycle(outage.isOn() ? Mode.PROBE : Mode.ORDINARY, outage);
        }

        Cycle careful() throws InterruptedException {
            return worker.cycle(Mode.CAREFUL, outage);
        }

        /** Moves events until there are none for it. */
        void drain() throws InterruptedException {
            long deadline = System.nanoTime() + LONG.toNanos();
            while (cycle() != Cycle.IDLE) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("the relay does not come to an end: " + outage.reason());
                }
            }
        }
    }

    TestRelay relay(String name, Duration lease) {
        return relay(name, lease, lease.dividedBy(2), Duration.ofMillis(1));
    }

    TestRelay relay(String name, Duration lease, Producer<String, byte[]> producer) {
        return relay(name, lease, lease.dividedBy(2), Duration.ofMillis(1), producer);
    }

    TestRelay relay(String name, Duration lease, Duration sendWindow, Duration holdPause) {
        KafkaProducer<String, byte[]> producer = kafka.getProducer(Relay.CHANNEL);
        return relay(name, lease, sendWindow, holdPause, producer.unwrap());
    }

    /** The application's producer, but for a broker that does not exist. */
    Producer<String, byte[]> unreachableProducer() throws IOException {
        return producer(Map.of("bootstrap.servers", "127.0.0.1:" + LocalServers.portOrFree(0)));
    }

    /** A further producer like the application's, but for these settings. */
    Producer<String, byte[]> producer(Map<String, Object> changes) {
        KafkaProducer<String, byte[]> producer = kafka.getProducer(Relay.CHANNEL);
        Map<String, Object> settings = new HashMap<>(producer.configuration());
        settings.putAll(changes);
        return new org.apache.kafka.clients.producer.KafkaProducer<>(
                settings, new StringSerializer(), new ByteArraySerializer());
    }

    private TestRelay relay(
            String name, Duration lease, Duration sendWindow, Duration holdPause, Producer<String, byte[]> producer) {
        RelaySettings settings = new RelaySettings(
                lease,
                sendWindow,
                Duration.ofSeconds(4),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofMillis(20),
                1,
                64,
                100,
                1_000_000,
                2,
                5,
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)),
                new Backoff(holdPause, holdPause));
        StopSignal stop = new StopSignal();
        var renewable = new RenewableProducer(producer, () -> producer(Map.of()), metrics);
        var context = new PublisherContext(
                renewable, new Topics(renewable), new CloudEventRecords("/test"), settings, metrics, stop);
        Publisher publisher = new Publisher(context);
        return new TestRelay(
                new RelayWorker(name, claims, advances, publisher, context),
                stop,
                new Outage("Kafka", settings.outage()));
    }

    double counter(String name) {
        return registry.get(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    /** The sum of counters that may not be there yet. */
    double counters(String name) {
        return registry.find(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    /** An outbox without events in which no lane is leased. */
    static void reset() {
        DATABASE.execute(
                "TRUNCATE outbox_log, outbox_hold, outbox_delivery, outbox_pause, outbox_action, outbox_action_event");
        DATABASE.execute(
                "UPDATE outbox_lane SET owner = NULL, locked_until = NULL, claims_without_progress = 0, careful_until = NULL");
    }

    /** Appends events 1, 2, 3 … of an aggregate. */
    static List<UUID> append(String topic, String aggregate, int events) {
        return IntStream.rangeClosed(1, events)
                .mapToObj(sequence -> append(topic, aggregate, sequence, "{\"n\":" + sequence + "}"))
                .toList();
    }

    static UUID append(String topic, String aggregate, int sequence, String payload) {
        UUID id = UUID.randomUUID();
        DATABASE.execute("""
                INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                VALUES (?, ?, 'test', 'test', ?, ?, ?::json)
                """, id, topic, aggregate, sequence, payload);
        return id;
    }

    static String status(UUID id) {
        return DATABASE.text("SELECT status FROM outbox WHERE id = ?", id);
    }

    /** The first of "b0", "b1", … that is of this kind. */
    static String aggregate(Predicate<String> kind) {
        return IntStream.range(0, 10_000)
                .mapToObj(n -> "b" + n)
                .filter(kind)
                .findFirst()
                .orElseThrow();
    }

    /** Waits until somebody waits for what somebody else has locked. */
    static void awaitOneThatWaitsForALock() {
        await().untilAsserted(() -> assertThat(
                        DATABASE.number(
                                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"))
                .isEqualTo(1));
    }

    /** Makes all leases look as if their time had run out. */
    static void expireLeases() {
        DATABASE.execute(
                "UPDATE outbox_lane SET locked_until = clock_timestamp() - interval '1 ms' WHERE owner IS NOT NULL");
    }
}
