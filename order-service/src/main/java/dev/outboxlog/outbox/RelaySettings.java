package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * What a relay needs to know, checked: the settings of {@link OutboxConfig} together with the producer's time-outs.
 *
 * @param lease how long a claim is exclusive
 * @param sendWindow how long after the claim an event may still be handed to the producer
 * @param sendTimeout the longest that one send can take until its outcome is known
 * @param statementTimeout the longest that one statement can take in the database
 * @param suspectAfter lost claims of a lane after which its events are tried one by one
 * @param parkAfter lost claims after which the event that is tried is parked
 */
record RelaySettings(
        Duration lease,
        Duration sendWindow,
        Duration sendTimeout,
        Duration statementTimeout,
        Duration shutdownTimeout,
        Duration pollInterval,
        int workers,
        int lanesPerClaim,
        int eventsPerLane,
        long bytesPerLane,
        int suspectAfter,
        int parkAfter,
        Backoff outage,
        Backoff hold) {

    /**
     * Combines configuration and producer settings.
     *
     * @param producer the effective settings of the Kafka producer
     * @throws IllegalStateException if a relay with them could lose or reorder events; the message says which values and the way out
     */
    static RelaySettings of(OutboxConfig config, Map<String, ?> producer) {
        ProducerConfig effective = new ProducerConfig(Map.copyOf(producer));
        List<String> faults = new ArrayList<>();
        if (!"-1".equals(effective.getString(ProducerConfig.ACKS_CONFIG))) {
            faults.add("acks=" + effective.getString(ProducerConfig.ACKS_CONFIG)
                    + " lets an acknowledged event vanish with one broker; set acks=all");
        }
        if (!effective.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)) {
            faults.add(
                    "enable.idempotence=false lets the producer's own retries duplicate and reorder; set it to true");
        }
        Duration maxBlock = Duration.ofMillis(effective.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG));
        Duration delivery = Duration.ofMillis(effective.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG));
        Duration sendTimeout = maxBlock.plus(delivery);
        Duration lease = config.relay().lease();
        Duration sendWindow = lease.dividedBy(2);
        Duration needed = sendTimeout.plus(config.statementTimeout()).multipliedBy(2);
        if (lease.compareTo(needed) < 0) {
            faults.add("outbox.relay.lease=" + lease
                    + " is too short: a send that starts at half of it can take max.block.ms ("
                    + maxBlock + ") + delivery.timeout.ms (" + delivery
                    + "), and writing the result outbox.statement-timeout ("
                    + config.statementTimeout() + "); set the lease to at least " + needed + " or lower the time-outs");
        }
        long largest = config.maxEventSize().asLongValue();
        int maxRequest = effective.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG);
        if (largest >= maxRequest) {
            faults.add("outbox.max-event-size=" + largest
                    + " lets events in that the producer refuses (max.request.size=" + maxRequest + "); set it lower");
        }
        OutboxConfig.CrashLoop crashLoop = config.relay().crashLoop();
        if (crashLoop.parkAfter() <= crashLoop.suspectAfter()) {
            faults.add("outbox.relay.crash-loop.park-after=" + crashLoop.parkAfter()
                    + " parks events that nobody has looked at alone; set it above outbox.relay.crash-loop.suspect-after="
                    + crashLoop.suspectAfter());
        }
        if (!faults.isEmpty()) {
            throw new IllegalStateException("The relay would not be safe: " + String.join("; ", faults));
        }
        OutboxConfig.Relay relay = config.relay();
        return new RelaySettings(
                lease,
                sendWindow,
                sendTimeout,
                config.statementTimeout(),
                relay.shutdownTimeout(),
                relay.pollInterval(),
                relay.workers(),
                relay.lanesPerClaim(),
                relay.eventsPerLane(),
                relay.bytesPerLane().asLongValue(),
                relay.crashLoop().suspectAfter(),
                relay.crashLoop().parkAfter(),
                new Backoff(relay.outage().min(), relay.outage().max()),
                new Backoff(relay.hold().min(), relay.hold().max()));
    }
}
