package dev.outboxlog.outbox;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The meters of outbox and relay. What is read from the database is the same on every replica: take the maximum over replicas. Counters are
 * each replica's own: take the sum.
 */
@ApplicationScoped
class OutboxMetrics {

    private final MeterRegistry registry;
    private final Counter delivered;
    private final Counter redelivered;
    private final Counter leasesLost;
    private final Counter late;
    private final Counter producersRenewed;
    private final Map<FailureClass, Counter> failures = new EnumMap<>(FailureClass.class);

    OutboxMetrics(MeterRegistry registry) {
        this.registry = registry;
        delivered = Counter.builder("outbox.delivered")
                .baseUnit("events")
                .description(
                        "Events acknowledged by Kafka and written as delivered by this replica. Sum over replicas.")
                .register(registry);
        redelivered = Counter.builder("outbox.redelivered")
                .baseUnit("events")
                .description(
                        "Events published from lanes whose last relay let its lease run out: at most so many were in Kafka already."
                                + " Sum over replicas.")
                .register(registry);
        leasesLost = Counter.builder("outbox.leases.lost")
                .description(
                        "Lanes whose lease ended before this relay could write what it had delivered. Sum over replicas.")
                .register(registry);
        late = Counter.builder("outbox.claims.late")
                .description(
                        "Claims that came too late, or whose events were not all sent, because too much of the lease had passed. Sum over replicas.")
                .register(registry);
        producersRenewed = Counter.builder("outbox.producers.renewed")
                .description("Kafka producers that could never send again and were replaced. Sum over replicas.")
                .register(registry);
        for (FailureClass failureClass : FailureClass.values()) {
            failures.put(
                    failureClass,
                    Counter.builder("outbox.publish.failures")
                            .tag("class", failureClass.tag())
                            .description("Sends that failed, by whom the failure concerns. Sum over replicas.")
                            .register(registry));
        }
    }

    void delivered(int events) {
        delivered.increment(events);
    }

    void redelivered(int events) {
        redelivered.increment(events);
    }

    void leasesLost(int lanes) {
        leasesLost.increment(lanes);
    }

    void claimWasLate() {
        late.increment();
    }

    void producerRenewed() {
        producersRenewed.increment();
    }

    void publishFailed(FailureClass failureClass) {
        failures.get(failureClass).increment();
    }

    /** Registers what the sampler reads; {@code NaN} where it has not read anything yet. */
    void sampled(
            Supplier<Number> pending,
            Supplier<Number> oldestAgeSeconds,
            Map<String, Supplier<Number>> heldByState,
            Supplier<Number> sampleAgeSeconds) {
        Gauge.builder("outbox.pending", pending)
                .baseUnit("events")
                .description("Events past their lane's cursor, counted up to 10 000 a lane. Maximum over replicas.")
                .register(registry);
        seconds(
                "outbox.oldest.age",
                oldestAgeSeconds,
                "Age of the oldest event that is neither delivered nor discarded. Maximum over replicas.");
        heldByState.forEach((state, events) -> Gauge.builder("outbox.held", events)
                .baseUnit("events")
                .tag("state", state)
                .description("Events that the cursor has passed without delivery. Maximum over replicas.")
                .register(registry));
        seconds(
                "outbox.sample.age",
                sampleAgeSeconds,
                "Time since the numbers above were read from the database. Maximum over replicas.");
    }

    private void seconds(String name, Supplier<Number> value, String description) {
        TimeGauge.builder(name, value, TimeUnit.SECONDS)
                .description(description)
                .register(registry);
    }
}
