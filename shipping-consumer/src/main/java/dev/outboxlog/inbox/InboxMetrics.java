package dev.outboxlog.inbox;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Every meter of the inbox: names, tags, units and descriptions. */
@Singleton
class InboxMetrics {

    static final String EVENTS = "inbox.events";
    static final String FREED = "inbox.held.freed";
    static final String RETRIED = "inbox.batches.retried";
    static final String SPLIT = "inbox.batches.split";
    static final String RESTARTS = "inbox.loop.restarts";
    static final String BATCH = "inbox.batch.duration";
    static final String LATENCY = "inbox.latency";
    static final String LAG = "inbox.lag";
    static final String ON_HOLD = "inbox.on.hold";

    private static final String DUPLICATE = "duplicate";
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(250),
        Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(15),
        Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15), Duration.ofHours(1)
    };

    private final Map<ProcessedAs, Counter> events = new EnumMap<>(ProcessedAs.class);
    private final Map<FailureClass, Counter> retried = new EnumMap<>(FailureClass.class);
    private final Counter duplicates;
    private final Counter freed;
    private final Counter split;
    private final Counter restarts;
    private final Timer batch;
    private final Timer latency;
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong parked = new AtomicLong();

    InboxMetrics(MeterRegistry registry, Progress progress) {
        for (ProcessedAs outcome : ProcessedAs.values()) {
            events.put(outcome, events(registry, outcome.text()));
        }
        duplicates = events(registry, DUPLICATE);
        for (FailureClass failure : FailureClass.values()) {
            retried.put(
                    failure,
                    Counter.builder(RETRIED)
                            .description("Transactions that failed and were tried again, by whose fault it was")
                            .tag("class", failure.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        freed = Counter.builder(FREED)
                .description("Held events that found their place")
                .register(registry);
        split = Counter.builder(SPLIT)
                .description("Batches that were halved to find the event that fails")
                .register(registry);
        restarts = Counter.builder(RESTARTS)
                .description("Times that the loop began again with a new Kafka client after a failure")
                .register(registry);
        batch = Timer.builder(BATCH)
                .description("From the poll that brought a batch to its commit, retries included")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        latency = Timer.builder(LATENCY)
                .description("From the event (ce_time, the producer's clock) to its committed effect")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        Gauge.builder(LAG, progress, Progress::lag)
                .description("Records on the broker in the partitions of this consumer, not committed yet")
                .register(registry);
        onHold(registry, "held", held);
        onHold(registry, "parked", parked);
    }

    private static Counter events(MeterRegistry registry, String outcome) {
        return Counter.builder(EVENTS)
                .description("Events, by what became of them")
                .tag("outcome", outcome)
                .register(registry);
    }

    private static void onHold(MeterRegistry registry, String state, AtomicLong count) {
        Gauge.builder(ON_HOLD, count, AtomicLong::get)
                .description("Records in the hold: held ones wait for an earlier event, parked ones for a person")
                .tag("state", state)
                .register(registry);
    }

    /** Counts a committed transaction. */
    void settled(BatchResult result) {
        for (Map.Entry<ProcessedAs, Integer> count : result.counts().entrySet()) {
            events.get(count.getKey()).increment(count.getValue());
        }
        duplicates.increment(result.duplicates());
        freed.increment(result.freed());
        Instant now = Instant.now();
        for (Instant time : result.appliedTimes()) {
            Duration age = Duration.between(time, now);
            latency.record(age.isNegative() ? Duration.ZERO : age);
        }
    }

    void batchDone(Duration duration) {
        batch.record(duration);
    }

    void batchRetried(FailureClass failure) {
        retried.get(failure).increment();
    }

    void batchSplit() {
        split.increment();
    }

    void loopRestarted() {
        restarts.increment();
    }

    void onHold(Holds.Counts counts) {
        held.set(counts.held());
        parked.set(counts.parked());
    }
}
