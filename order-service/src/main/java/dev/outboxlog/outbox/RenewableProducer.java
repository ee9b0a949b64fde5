package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.jboss.logging.Logger;

/**
 * The relay's Kafka producer, and another one when it can never send again. That happens: a producer that was fenced, was refused its id, or was
 * closed under us answers every further send with the same error, however healthy the broker is by then.
 */
final class RenewableProducer implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(RenewableProducer.class);

    private final Supplier<Producer<String, byte[]>> another;
    private final OutboxMetrics metrics;
    private volatile Producer<String, byte[]> current;
    private boolean ours;

    /**
     * @param first the one to begin with; it is not closed by us unless it has failed for good
     * @param another makes a further one
     */
    RenewableProducer(
            Producer<String, byte[]> first, Supplier<Producer<String, byte[]>> another, OutboxMetrics metrics) {
        this.current = first;
        this.another = another;
        this.metrics = metrics;
    }

    /** The one that is in use. */
    Producer<String, byte[]> get() {
        return current;
    }

    /**
     * Replaces the one in use. What it still had in hand fails, and is published again by a later claim.
     *
     * @param reason why it can never send again
     */
    synchronized void renew(Throwable reason) {
        Producer<String, byte[]> broken = current;
        LOG.warnf(
                "the Kafka producer can never send again and is replaced. reason=\"%s\"",
                PublisherContext.describe(reason));
        current = another.get();
        ours = true;
        metrics.producerRenewed();
        broken.close(Duration.ZERO);
    }

    /** Closes the one in use if it was made here. */
    @Override
    public synchronized void close() {
        if (ours) {
            current.close(Duration.ZERO);
        }
    }
}
