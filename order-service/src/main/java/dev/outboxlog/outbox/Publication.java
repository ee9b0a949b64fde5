package dev.outboxlog.outbox;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The events of one claim on their way to Kafka.
 *
 * <p>Within an aggregate an event is sent only when the one before it is acknowledged, so that nothing that happens to one of them lets a
 * later one appear first. Across aggregates everything is in flight at once.
 *
 * <p>Confined to the worker's thread: the client's callbacks only queue what is then handled there.
 */
final class Publication {

    private final PublisherContext context;
    private final long sendUntilNanos;
    private final List<LaneFlights> lanes = new ArrayList<>();
    private final Queue<Flight> ready = new ArrayDeque<>();
    private final BlockingQueue<Runnable> arrivals = new LinkedBlockingQueue<>();
    private final Map<String, List<Flight>> waitingForTopic = new HashMap<>();
    private int inFlight;
    private Throwable brokerFailure;
    private boolean late;

    /** A claimed lane with the fate of each of its events. */
    private record LaneFlights(ClaimedLane lane, List<Flight> dueHolds, List<Flight> events) {}

    /**
     * @param context what all publications share
     * @param claimed what to publish
     * @param sendUntilNanos {@link System#nanoTime} after which nothing is sent any more, because the lease may end before the outcome is known
     */
    Publication(PublisherContext context, List<ClaimedLane> claimed, long sendUntilNanos) {
        this.context = context;
        this.sendUntilNanos = sendUntilNanos;
        Map<String, Flight> lastOfAggregate = new HashMap<>();
        for (ClaimedLane lane : claimed) {
            lanes.add(new LaneFlights(
                    lane, line(lane.dueHolds(), lastOfAggregate), line(lane.events(), lastOfAggregate)));
        }
    }

    private List<Flight> line(List<StoredEvent> events, Map<String, Flight> lastOfAggregate) {
        List<Flight> flights = new ArrayList<>(events.size());
        for (StoredEvent event : events) {
            Flight flight = new Flight(event);
            flights.add(flight);
            Flight before = lastOfAggregate.put(event.aggregateId(), flight);
            // One that is paused holds up those behind it, although nothing of them is on hold yet.
            if (event.held() || before != null && before.state == Flight.State.HELD) {
                flight.hold(Hold.blocked(event));
            } else if (before == null) {
                ready.add(flight);
            } else {
                before.next = flight;
            }
        }
        return flights;
    }

    /**
     * Sends, and waits until the outcome of all that was sent is known: at most the producer's own time-outs, or the time that a stop allows.
     *
     * @return what each lane has achieved
     */
    List<LaneProgress> fly() throws InterruptedException {
        while (true) {
            while (!ready.isEmpty() && maySend()) {
                depart(ready.poll());
            }
            if (inFlight > 0) {
                // All that may be sent has been: nothing is gained by waiting for company (linger.ms). Full batches
                // have left already; this
                // sends the rest at once and returns when all of it is settled, at most delivery.timeout.ms later.
                context.producer().flush();
            }
            if (inFlight == 0 && (waitingForTopic.isEmpty() || !maySend())) {
                break;
            }
            Runnable arrival = arrivals.poll(nanosToWait(), TimeUnit.NANOSECONDS);
            if (arrival == null) {
                break;
            }
            do {
                arrival.run();
                arrival = arrivals.poll();
            } while (arrival != null);
        }
        return lanes.stream().map(Publication::progress).toList();
    }

    /** What shows that Kafka as a whole cannot be written to, or {@code null}. */
    Throwable brokerFailure() {
        return brokerFailure;
    }

    /** Whether events stayed unsent because the time to send had run out. */
    boolean wasLate() {
        return late;
    }

    private boolean maySend() {
        if (brokerFailure != null || context.stop().isStopping()) {
            return false;
        }
        late = System.nanoTime() - sendUntilNanos > 0;
        return !late;
    }

    private long nanosToWait() {
        long untilSettled = sendUntilNanos
                - System.nanoTime()
                + context.settings().sendTimeout().toNanos();
        return context.stop().isStopping()
                ? Math.min(untilSettled, context.stop().nanosLeft())
                : untilSettled;
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
        known.whenComplete((ok, failure) -> arrivals.add(() -> topicChecked(topic, unwrapped(failure))));
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private void topicChecked(String topic, Throwable failure) {
        for (Flight flight : waitingForTopic.remove(topic)) {
            if (failure == null) {
                ready.add(flight);
            } else {
                failed(flight, failure);
            }
        }
    }

    private void send(Flight flight) {
        inFlight++;
        flight.state = Flight.State.SENT;
        try {
            context.producer()
                    .send(
                            context.records().record(flight.event),
                            (metadata, failure) -> arrivals.add(() -> landed(flight, metadata, failure)));
        } catch (RuntimeException e) {
            // The client reports what it foresees through the callback. What it throws instead (a closed producer, an
            // interrupt) it has not
            // taken: the callback will not come.
            inFlight--;
            failed(flight, e);
        }
    }

    private void landed(Flight flight, RecordMetadata metadata, Exception failure) {
        inFlight--;
        if (failure != null) {
            failed(flight, failure);
            return;
        }
        flight.acknowledged(metadata);
        if (flight.next != null) {
            ready.add(flight.next);
        }
    }

    private void failed(Flight flight, Throwable failure) {
        FailureClass failureClass = FailureClass.of(failure);
        context.metrics().publishFailed(failureClass);
        context.topics().forget(flight.event.topic());
        if (failureClass == FailureClass.BROKER) {
            // The record may be in Kafka all the same. Those behind it stay unsent.
            flight.state = Flight.State.UNKNOWN;
            brokerFailure = failure;
            return;
        }
        flight.hold(context.hold(flight.event, failureClass, failure));
        for (Flight behind = flight.next; behind != null; behind = behind.next) {
            behind.hold(Hold.blocked(behind.event));
        }
    }

    private static LaneProgress progress(LaneFlights flights) {
        long cursor = flights.lane().cursor();
        List<Hold> holds = new ArrayList<>();
        List<LaneProgress.Delivery> deliveries = new ArrayList<>();
        List<Long> freed = new ArrayList<>();
        List<Flight> delivered = new ArrayList<>();
        for (Flight flight : flights.events()) {
            if (flight.state == Flight.State.ACKNOWLEDGED) {
                delivered.add(flight);
            } else if (flight.state == Flight.State.HELD) {
                holds.add(flight.hold);
            } else {
                break; // the cursor may not pass an event whose fate is unknown
            }
            cursor = flight.event.position();
        }
        if (!delivered.isEmpty()) {
            deliveries.add(Flight.ledger(delivered));
        }
        for (Flight flight : flights.dueHolds()) {
            if (flight.state == Flight.State.ACKNOWLEDGED) {
                freed.add(flight.event.position());
                deliveries.add(Flight.ledger(List.of(flight)));
            } else if (flight.state == Flight.State.HELD && flight.hold.state() != Hold.State.BLOCKED) {
                holds.add(flight.hold);
            }
        }
        boolean settled = flights.events().stream().noneMatch(flight -> flight.state == Flight.State.SENT)
                && flights.dueHolds().stream().noneMatch(flight -> flight.state == Flight.State.SENT);
        return new LaneProgress(
                flights.lane().lane(), flights.lane().epoch(), cursor, settled, deliveries, holds, freed);
    }
}
