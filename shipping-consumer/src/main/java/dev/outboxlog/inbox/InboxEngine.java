package dev.outboxlog.inbox;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Starts the loop with the application and stops it before anything that it needs. */
@Singleton
class InboxEngine {

    private final ConsumerSettings consumers;
    private final BatchProcessor processor;
    private final Progress progress;
    private final InboxMetrics metrics;
    private final InboxConfig config;
    private final Duration grace;
    private volatile InboxLoop loop;

    InboxEngine(
            ConsumerSettings consumers,
            BatchProcessor processor,
            Progress progress,
            InboxMetrics metrics,
            InboxConfig config,
            @ConfigProperty(name = "quarkus.shutdown.timeout") Duration grace) {
        this.consumers = consumers;
        this.processor = processor;
        this.progress = progress;
        this.metrics = metrics;
        this.config = config;
        this.grace = grace;
    }

    void onStart(@Observes StartupEvent event) {
        InboxConfigCheck.check(config, grace);
        if (config.enabled()) {
            start();
        }
    }

    /** Early among the observers: the pool must still be open for what is in hand. */
    void onStop(@Observes @Priority(1) ShutdownEvent event) throws InterruptedException {
        stop();
    }

    synchronized void start() {
        if (loop == null) {
            loop = newLoop();
            loop.start();
        }
    }

    synchronized void stop() throws InterruptedException {
        if (loop != null) {
            loop.stop();
            loop = null;
        }
    }

    /** A loop of its own; a second one in the same process is one more member of the group. */
    InboxLoop newLoop() {
        return new InboxLoop(consumers::newConsumer, processor, progress, metrics, config);
    }

    /** False only when the loop should run and does not. */
    boolean isAlive() {
        InboxLoop current = loop;
        return current == null || current.isAlive();
    }
}
