package dev.outboxlog.outbox;

import dev.outboxlog.testing.Database;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaProducer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Makes relays that a test moves step by step, and events for them. */
@ApplicationScoped
public class TestRelays {

    /** Any time-out that a test does not wait for. */
    static final Duration LONG = Duration.ofMinutes(1);

    private final LaneRepository lanes;
    private final KafkaClientService kafka;
    private final MeterRegistry registry;
    private final OutboxMetrics metrics;

    TestRelays(LaneRepository lanes, KafkaClientService kafka, MeterRegistry registry, OutboxMetrics metrics) {
        this.lanes = lanes;
        this.kafka = kafka;
        this.registry = registry;
        this.metrics = metrics;
    }

    /** A relay with a name, and all that belongs to it. */
    record TestRelay(RelayWorker worker, StopSignal stop, Outage outage) {

        RelayWorker.Cycle cycle() throws InterruptedException {
            return worker.cycle(outage.isOn(), outage);
        }

        /** Moves events until there are none for it. */
        void drain() throws InterruptedException {
            while (cycle() != RelayWorker.Cycle.IDLE) {
                // goes on
            }
        }
    }

    TestRelay relay(String name, Duration lease) {
        return relay(name, lease, lease.dividedBy(2), Duration.ofMillis(1));
    }

    TestRelay relay(String name, Duration lease, Duration sendWindow, Duration holdPause) {
        KafkaProducer<String, byte[]> producer = kafka.getProducer(Relay.CHANNEL);
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
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)),
                new Backoff(holdPause, holdPause));
        StopSignal stop = new StopSignal();
        var context = new PublisherContext(
                producer.unwrap(),
                new Topics(producer.unwrap()),
                new CloudEventRecords("/test"),
                settings,
                metrics,
                stop);
        return new TestRelay(new RelayWorker(name, lanes, context), stop, new Outage("Kafka", settings.outage()));
    }

    double counter(String name) {
        return registry.get(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    /** An outbox without events in which no lane is leased. */
    static void reset() {
        Database.execute("TRUNCATE outbox_log, outbox_hold, outbox_delivery");
        Database.execute("UPDATE outbox_lane SET owner = NULL, locked_until = NULL, claims_without_progress = 0");
    }

    /** Appends events 1, 2, 3 … of an aggregate. */
    static List<UUID> append(String topic, String aggregate, int events) {
        return java.util.stream.IntStream.rangeClosed(1, events)
                .mapToObj(sequence -> append(topic, aggregate, sequence, "{\"n\":" + sequence + "}"))
                .toList();
    }

    static UUID append(String topic, String aggregate, int sequence, String payload) {
        UUID id = UUID.randomUUID();
        Database.execute("""
                INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                VALUES (?, ?, 'test', 'test', ?, ?, ?::json)
                """, id, topic, aggregate, sequence, payload);
        return id;
    }

    static String status(UUID id) {
        return Database.text("SELECT status FROM outbox WHERE id = ?", id);
    }

    /** Makes all leases look as if their time had run out. */
    static void expireLeases() {
        Database.execute(
                "UPDATE outbox_lane SET locked_until = clock_timestamp() - interval '1 ms' WHERE owner IS NOT NULL");
    }
}
