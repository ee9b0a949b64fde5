package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;

/**
 * Finds out whether topics can be written to before anything is sent to them. Sending to a topic that the client does not know blocks the
 * sender for up to {@code max.block.ms}; here that wait happens on a thread of its own, so that other topics flow meanwhile.
 *
 * <p>Safe for use by several threads.
 */
final class Topics implements AutoCloseable {

    /** Well below the five minutes ({@code metadata.max.idle.ms}) after which the client forgets a topic that is not used. */
    private static final Duration KNOWN_FOR = Duration.ofMinutes(1);
    /** Keeps a missing topic from being looked for by every claim. */
    private static final Duration UNKNOWN_FOR = Duration.ofSeconds(2);

    private record Lookup(CompletableFuture<Void> result, long startedNanos) {
        boolean isSuccess() {
            return result.isDone() && !result.isCompletedExceptionally();
        }

        boolean isFresh() {
            Duration age = Duration.ofNanos(System.nanoTime() - startedNanos);
            return !result.isDone() || age.compareTo(isSuccess() ? KNOWN_FOR : UNKNOWN_FOR) < 0 && saysSomething();
        }

        /** Whether the outcome is about the topic, and not about Kafka or the client as a whole. */
        private boolean saysSomething() {
            Throwable failure = result.handle((found, thrown) -> thrown).join();
            return failure == null || !FailureClass.of(failure).isEverybodys();
        }
    }

    private final Map<String, Lookup> lookups = new ConcurrentHashMap<>();
    private final RenewableProducer producer;
    // Several, so that one missing topic does not hold up the look at another; idle threads end.
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "outbox-topics");
        thread.setDaemon(true);
        return thread;
    });

    Topics(RenewableProducer producer) {
        this.producer = producer;
    }

    /**
     * Whether the topic is there. Where that was found out a short while ago, the answer is complete at once.
     *
     * @return completes if the topic can be written to, or fails with what the client said
     */
    CompletableFuture<Void> check(String topic) {
        if (!Topic.isValid(topic)) {
            // Asked for such a name, the broker refuses, and the client complains in the log for minutes.
            return CompletableFuture.failedFuture(new InvalidTopicException("no topic can be named '" + topic + "'"));
        }
        Lookup last = lookups.get(topic);
        return last != null && last.isFresh() ? last.result() : again(topic).result();
    }

    /** Whether the topic was found a short while ago. */
    boolean isKnown(String topic) {
        Lookup last = lookups.get(topic);
        return last != null && last.isSuccess() && last.isFresh();
    }

    private Lookup again(String topic) {
        return lookups.compute(topic, (name, known) -> known != null && known.isFresh() ? known : lookUp(name));
    }

    private Lookup lookUp(String topic) {
        return new Lookup(
                CompletableFuture.runAsync(() -> producer.get().partitionsFor(topic), threads), System.nanoTime());
    }

    /** Makes the next {@link #check} ask again, should it have been found before. */
    void forget(String topic) {
        // Not while it is being looked for: many records that fail at once would start as many lookups.
        lookups.computeIfPresent(topic, (name, known) -> known.isSuccess() ? null : known);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
