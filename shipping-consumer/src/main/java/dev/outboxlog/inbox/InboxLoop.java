package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Abort.AbortedException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.jboss.logging.Logger;

/**
 * Two threads: one that owns the Kafka consumer, one that settles batches. Whatever fails, the loop begins again with a new consumer
 * after a pause; only a stop ends it.
 */
final class InboxLoop {

    private static final Logger LOG = Logger.getLogger(InboxLoop.class);
    private static final Duration LEAVING = Duration.ofSeconds(5);

    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final BatchProcessor processor;
    private final Progress progress;
    private final InboxMetrics metrics;
    private final InboxConfig config;
    private final Backoff backoff;
    private final Stop stop;
    private final Thread thread;
    private final ExecutorService worker;

    InboxLoop(
            Supplier<Consumer<byte[], byte[]>> consumers,
            BatchProcessor processor,
            Progress progress,
            InboxMetrics metrics,
            InboxConfig config) {
        this.consumers = consumers;
        this.processor = processor;
        this.progress = progress;
        this.metrics = metrics;
        this.config = config;
        this.backoff = new Backoff(config.retry().minDelay(), config.retry().maxDelay());
        this.stop = new Stop(config.stopTimeout());
        this.thread = new Thread(this::run, "inbox-loop");
        this.worker = Executors.newSingleThreadExecutor(task -> new Thread(task, "inbox-worker"));
    }

    void start() {
        thread.start();
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Finishes and commits what is in hand, within the configured time, and leaves the group. Blocks until it is done. */
    void stop() throws InterruptedException {
        stop.request();
        thread.join(config.stopTimeout().plus(LEAVING).toMillis());
        worker.shutdownNow();
        if (thread.isAlive()) {
            LOG.warn("the loop did not end in time and is interrupted");
            thread.interrupt();
        }
    }

    private void run() {
        LOG.infof("consuming: topic=%s group=%s", config.topic(), config.group());
        try {
            for (int failures = 0; !stop.requested(); ) {
                long begin = System.nanoTime();
                try (ConsumerSession session =
                        new ConsumerSession(consumers.get(), processor, worker, progress, metrics, config, stop)) {
                    session.run();
                } catch (RuntimeException | Error failure) {
                    // A session that lasted starts the count again.
                    boolean lasted = System.nanoTime() - begin
                            > config.retry().maxDelay().toNanos();
                    failures = lasted ? 1 : failures + 1;
                    if (!stop.requested()) {
                        pause(failure, failures);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LOG.info("consuming has ended");
    }

    private void pause(Throwable failure, int failures) throws InterruptedException {
        metrics.loopRestarted();
        if (failure instanceof AbortedException) {
            LOG.info("the loop begins again after a rebalance");
        } else {
            LOG.warnf("the loop begins again after a failure: cause=%s", failure);
        }
        stop.requestedWithin(backoff.after(failures));
    }
}
