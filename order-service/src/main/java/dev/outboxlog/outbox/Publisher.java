package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/**
 * Sends the events of all claims that this process has in hand, on one thread.
 *
 * <p>Within an aggregate an event is sent only when the one before it is acknowledged, so that nothing that happens to one of them lets a
 * later one appear first. Across aggregates and claims everything that may go goes together, as a wave: one wave makes few large requests,
 * where each claim sending by itself would make many small ones, which cost the broker more than they cost us.
 *
 * <p>When the process dies here, every event that is not acknowledged, and those that are but not yet written as delivered, are sent again by
 * whoever takes the lanes over when their lease ends.
 */
final class Publisher implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Publisher.class);

    /**
     * How long a wave is waited for as a whole. After that, what is settled goes on, and a record that takes longer (a partition whose leader is
     * away) holds up only what stands behind it.
     */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final PublisherContext context;
    private final Thread thread;
    private final ExecutorService flusher;
    private final Queue<Publication> submitted = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> topicAnswers = new ConcurrentLinkedQueue<>();
    /** Records whose outcome the client has not reported yet. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile boolean closed;

    // All that follows is the thread's own.
    private final List<Publication> active = new ArrayList<>();
    private final Queue<Flight> ready = new ArrayDeque<>();
    private final Map<String, List<Flight>> waitingForTopic = new HashMap<>();
    private List<Flight> inAir = new ArrayList<>();
    private Throwable producerFailure;
    private CompletableFuture<Void> flush = CompletableFuture.completedFuture(null);

    /**
     * Starts the thread.
     *
     * @param context what all publications share
     * @param name of the threads
     */
    Publisher(PublisherContext context, String name) {
        this.context = context;
        flusher = Executors.newSingleThreadExecutor(task -> daemon(task, name + "-flush"));
        thread = daemon(this::run, name);
        thread.start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Sends the events of a claim.
     *
     * @return completes when the outcome of all that was sent is known: at most the producer's own time-outs later, or when the time that a stop
     *     allows is over; fails if the publisher has died
     */
    CompletableFuture<List<LaneProgress>> publish(Publication publication) {
        submitted.add(publication);
        LockSupport.unpark(thread);
        if (!isAlive()) {
            publication.fail(new IllegalStateException("the publisher is not running"));
        }
        return publication.done();
    }

    /** Whether the thread runs. One that has died can publish nothing: only a restart helps. */
    boolean isAlive() {
        return thread.isAlive();
    }

    /** Ends the threads; what is in hand is not waited for. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        flusher.shutdownNow();
    }

    private void run() {
        try {
            while (!closed) {
                admit();
                depart();
                awaitWave();
                settle();
                renewProducer();
                retire();
            }
            failAll(new IllegalStateException("the publisher was closed"));
        } catch (Throwable e) {
            LOG.error("the publisher has died; liveness will tell", e);
            failAll(e);
            throw e;
        }
    }

    private void failAll(Throwable reason) {
        closed = true;
        active.forEach(publication -> publication.fail(reason));
        for (Publication next = submitted.poll(); next != null; next = submitted.poll()) {
            next.fail(reason);
        }
    }

    private void admit() {
        for (Publication next = submitted.poll(); next != null; next = submitted.poll()) {
            active.add(next);
            ready.addAll(next.first());
        }
        for (Runnable answer = topicAnswers.poll(); answer != null; answer = topicAnswers.poll()) {
            answer.run();
        }
    }

    /** Sends all that may be sent now. */
    private void depart() {
        if (ready.isEmpty()) {
            return;
        }
        // While an earlier flush still goes on, the client sends each record alone instead of collecting them.
        parkUntil(flush::isDone);
        int before = inAir.size();
        for (Flight flight = ready.poll(); flight != null; flight = ready.poll()) {
            if (maySend(flight.publication)) {
                depart(flight);
            } else {
                flight.publication.open--;
            }
        }
        if (inAir.size() > before && flush.isDone()) {
            // All that may be sent has been: nothing is gained by waiting for company (linger.ms). On a thread of its
            // own, because a flush waits for the slowest partition.
            flush = CompletableFuture.runAsync(context.producer().get()::flush, flusher)
                    .handle((done, failure) -> null);
            flush.thenRun(() -> LockSupport.unpark(thread));
        }
    }

    private boolean maySend(Publication publication) {
        return !context.stop().isStopping() && publication.maySend();
    }

    private void depart(Flight flight) {
        String topic = flight.event.topic();
        List<Flight> waiting = waitingForTopic.get(topic);
        if (waiting != null) {
            waiting.add(flight);
            return;
        }
        CompletableFuture<Void> known = context.topics().check(topic);
        if (known.isDone() && !known.isCompletedExceptionally()) {
            send(flight);
            return;
        }
        waitingForTopic.put(topic, new ArrayList<>(List.of(flight)));
        known.whenComplete((ok, failure) -> {
            topicAnswers.add(() -> topicChecked(topic, unwrapped(failure)));
            LockSupport.unpark(thread);
        });
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void topicChecked(String topic, Throwable failure) {
        for (Flight flight : waitingForTopic.remove(topic)) {
            if (failure == null) {
                ready.add(flight);
            } else {
                flight.publication.open--;
                FailureClass failureClass = failure instanceof RuntimeException thrown
                        ? FailureClass.ofThrown(thrown)
                        : FailureClass.of(failure);
                failed(flight, failureClass, failure);
            }
        }
    }

    private void send(Flight flight) {
        flight.depart(this);
        inAir.add(flight);
        unsettled.incrementAndGet();
        try {
            context.producer().get().send(context.records().record(flight.event), flight);
        } catch (RuntimeException e) {
            // The client reports what it foresees through the callback. What it throws instead it has not taken: the
            // callback will not come.
            unsettled.decrementAndGet();
            inAir.remove(inAir.size() - 1);
            flight.publication.open--;
            failed(flight, FailureClass.ofThrown(e), e);
        }
    }

    /** Called by the client's thread for every record whose outcome is known. */
    void settled() {
        if (unsettled.decrementAndGet() == 0) {
            LockSupport.unpark(thread);
        }
    }

    private void awaitWave() {
        if (!inAir.isEmpty()) {
            parkUntil(() -> unsettled.get() == 0);
        } else if (ready.isEmpty() && !active.isEmpty()) {
            parkUntil(() -> !topicAnswers.isEmpty() || !submitted.isEmpty());
        } else if (active.isEmpty()) {
            while (submitted.isEmpty() && !closed) {
                LockSupport.park(this);
            }
        }
    }

    private void parkUntil(java.util.function.BooleanSupplier condition) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean() && !closed) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    private void settle() {
        List<Flight> stillInAir = new ArrayList<>();
        for (Flight flight : inAir) {
            if (!flight.isSettled()) {
                stillInAir.add(flight);
            } else if (!flight.publication.isOver()) {
                land(flight);
            }
        }
        inAir = stillInAir;
    }

    private void land(Flight flight) {
        Publication publication = flight.publication;
        publication.open--;
        if (flight.failure() != null) {
            failed(flight, FailureClass.of(flight.failure()), flight.failure());
            return;
        }
        flight.state = Flight.State.ACKNOWLEDGED;
        if (flight.next != null) {
            publication.open++;
            ready.add(flight.next);
        }
    }

    private void failed(Flight flight, FailureClass failureClass, Throwable failure) {
        context.metrics().publishFailed(failureClass);
        context.topics().forget(flight.event.topic());
        if (failureClass.isEverybodys()) {
            // The record may be in Kafka all the same. Those behind it stay unsent, and so does everything else.
            flight.state = Flight.State.UNKNOWN;
            active.forEach(publication -> publication.brokerFailed(failure));
            if (failureClass == FailureClass.PRODUCER) {
                producerFailure = failure;
            }
            return;
        }
        flight.hold(context.hold(flight.event, failureClass, failure));
        for (Flight behind = flight.next; behind != null; behind = behind.next) {
            behind.hold(Hold.blocked(behind.event));
        }
    }

    /** Once for all records of a wave that say so. */
    private void renewProducer() {
        if (producerFailure != null) {
            context.producer().renew(producerFailure);
            producerFailure = null;
        }
    }

    private void retire() {
        boolean timeIsUp = context.stop().isStopping() && context.stop().nanosLeft() <= 0;
        active.removeIf(publication -> publication.retire(timeIsUp));
    }
}
