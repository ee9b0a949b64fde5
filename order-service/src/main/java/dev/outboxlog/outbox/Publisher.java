package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the events of claims to Kafka.
 *
 * <p>Within an aggregate an event is sent only when the one before it is acknowledged, so that nothing that happens to one of them lets a
 * later one appear first. The acknowledgement itself sends the next, on the client's thread: there is no hand-over to wait for, and since the
 * client has one request on the way at a time ({@code max.in.flight.requests.per.connection}), all that is acknowledged by one answer leaves
 * together with the next request. So requests are as large as the load, and a single event waits for nobody.
 *
 * <p>What can take time, failures and topics that have to be looked up first, is left to the thread that publishes the claim: the client's
 * thread must never wait, because it is the one that is waited for.
 *
 * <p>When the process dies here, every event that is not acknowledged, and those that are but not yet written as delivered, are sent again by
 * whoever takes the lanes over when their lease ends.
 */
final class Publisher {

    /** How late a stop of the relay may be noticed. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final PublisherContext context;
    /** What all threads have in hand: when Kafka is away, it is away for all. */
    private final Set<Publication> active = ConcurrentHashMap.newKeySet();

    /**
     * @param context what all publications share
     */
    Publisher(PublisherContext context) {
        this.context = context;
    }

    /**
     * Sends the events of a claim and waits until the outcome of all that was sent is known: at most the producer's own time-outs longer than
     * the publication may send, or until the time that a stop allows is over.
     *
     * @return what each lane has achieved
     */
    List<LaneProgress> publish(Publication publication) throws InterruptedException {
        active.add(publication);
        try {
            for (Flight flight : publication.first()) {
                depart(flight);
                publication.runChores();
            }
            while (publication.isOpen() && !isTimeUp(publication)) {
                publication.awaitChore(LOOK);
            }
        } finally {
            publication.end();
            active.remove(publication);
        }
        return publication.progress();
    }

    private boolean isTimeUp(Publication publication) {
        return publication.isTimeUp()
                || context.stop().isStopping() && context.stop().nanosLeft() <= 0;
    }

    private boolean maySend(Publication publication) {
        return !context.stop().isStopping() && publication.maySend();
    }

    /** Sends an event as soon as its topic is known. On the publication's own thread. */
    private void depart(Flight flight) {
        flight.prepare(this, context.producer().get());
        CompletableFuture<Void> known = context.topics().check(flight.event.topic());
        if (known.isDone()) {
            depart(flight, known);
        } else {
            known.whenComplete((ok, failure) -> flight.publication.later(() -> depart(flight, known)));
        }
    }

    private void depart(Flight flight, CompletableFuture<Void> known) {
        if (!maySend(flight.publication)) {
            flight.publication.lineEnded();
        } else if (known.isCompletedExceptionally()) {
            Throwable failure = failureOf(known);
            FailureClass failureClass = failure instanceof RuntimeException thrown
                    ? FailureClass.ofThrown(thrown)
                    : FailureClass.of(failure);
            failed(flight, failureClass, failure);
        } else {
            send(flight);
        }
    }

    private static Throwable failureOf(CompletableFuture<Void> failed) {
        Throwable failure = failed.handle((ok, thrown) -> thrown).join();
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void send(Flight flight) {
        flight.state = Flight.State.SENT;
        try {
            flight.producer().send(context.records().record(flight.event), flight);
        } catch (RuntimeException e) {
            // The client reports what it foresees through the callback. What it throws instead it has not taken: the
            // callback will not come.
            failedLater(flight, FailureClass.ofThrown(e), e);
        }
    }

    /** The outcome of a send is known. On the client's thread, or on the sender's where the client refuses a record at once. */
    void landed(Flight flight, Exception failure) {
        Publication publication = flight.publication;
        if (publication.isOver()) {
            return;
        }
        if (failure != null) {
            failedLater(flight, FailureClass.of(failure), failure);
            return;
        }
        flight.state = Flight.State.ACKNOWLEDGED;
        Flight next = flight.next;
        if (next == null || !maySend(publication)) {
            publication.lineEnded();
        } else if (context.topics().isKnown(next.event.topic())
                && context.producer().hasRoom()) {
            next.prepare(this, context.producer().get());
            send(next);
        } else {
            publication.later(() -> depart(next));
        }
    }

    private void failedLater(Flight flight, FailureClass failureClass, Throwable failure) {
        flight.publication.later(() -> {
            context.topics().forget(flight.event.topic());
            failed(flight, failureClass, failure);
        });
    }

    private void failed(Flight flight, FailureClass failureClass, Throwable failure) {
        context.metrics().publishFailed(failureClass);
        if (failureClass.isEverybodys()) {
            // The record may be in Kafka all the same. Those behind it stay unsent, and so does everything else.
            flight.state = Flight.State.UNKNOWN;
            active.forEach(publication -> publication.brokerFailed(failure));
            if (failureClass == FailureClass.PRODUCER) {
                context.producer().renew(flight.producer(), failure);
            }
        } else {
            flight.hold(context.hold(flight.event, failureClass, failure));
            for (Flight behind = flight.next; behind != null; behind = behind.next) {
                behind.hold(Hold.blocked(behind.event));
            }
        }
        flight.publication.lineEnded();
    }
}
