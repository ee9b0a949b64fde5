package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.jboss.logging.Logger;

/**
 * The relay's Kafka producer, and another one when it can never send again. That happens: a producer that was fenced, was refused its id, or was
 * closed under us answers every further send with the same error, however healthy the broker is by then.
 *
 * <p>Safe for use by several threads.
 */
final class RenewableProducer implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RenewableProducer.class);

    /** The share of the client's buffer that is left to those who can wait for it. */
    private static final double RESERVE = 0.25;

    private final Supplier<Producer<String, byte[]>> another;
    private final OutboxMetrics metrics;
    private volatile Current current;
    private boolean ours;

    /** A producer with the meters of its buffer; they are {@code null} where it has none. */
    private record Current(Producer<String, byte[]> producer, Metric availableBytes, Metric totalBytes) {

        static Current of(Producer<String, byte[]> producer) {
            return new Current(
                    producer, meter(producer, "buffer-available-bytes"), meter(producer, "buffer-total-bytes"));
        }

        private static Metric meter(Producer<String, byte[]> producer, String name) {
            return producer.metrics().entrySet().stream()
                    .filter(entry -> entry.getKey().name().equals(name))
                    .findAny()
                    .map(entry -> (Metric) entry.getValue())
                    .orElse(null);
        }
    }

    /**
     * @param first the one to begin with; it is not closed by us unless it has failed for good
     * @param another makes a further one
     */
    RenewableProducer(
            Producer<String, byte[]> first, Supplier<Producer<String, byte[]>> another, OutboxMetrics metrics) {
        this.current = Current.of(first);
        this.another = another;
        this.metrics = metrics;
    }

    /** The one that is in use. */
    Producer<String, byte[]> get() {
        return current.producer();
    }

    /** Whether a send will find room in the client's buffer, and so not wait for it. */
    boolean hasRoom() {
        Current now = current;
        return now.availableBytes() != null
                && now.totalBytes() != null
                && number(now.availableBytes()) > RESERVE * number(now.totalBytes());
    }

    private static double number(Metric meter) {
        return ((Number) meter.metricValue()).doubleValue();
    }

    /**
     * Replaces a producer, unless that has been done. What it still had in hand fails, and is published again by a later claim.
     *
     * @param broken the producer that can never send again
     * @param reason why
     */
    synchronized void renew(Producer<String, byte[]> broken, Throwable reason) {
        if (broken != get()) {
            return;
        }
        LOG.warnf(
                "the Kafka producer can never send again and is replaced. reason=\"%s\"",
                PublisherContext.describe(reason));
        current = Current.of(another.get());
        ours = true;
        metrics.producerRenewed();
        broken.close(Duration.ZERO);
    }

    /** Closes the one in use if it was made here. */
    @Override
    public synchronized void close() {
        if (ours) {
            get().close(Duration.ZERO);
        }
    }
}
