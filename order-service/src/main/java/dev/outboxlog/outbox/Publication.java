package dev.outboxlog.outbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The events of one claim on their way to Kafka. Handed to the {@link Publisher}, it is that one's alone until it is {@link #done}.
 */
final class Publication {

    private final List<LaneFlights> lanes = new ArrayList<>();
    private final List<Flight> first = new ArrayList<>();
    private final long sendUntilNanos;
    private final long giveUpNanos;
    private final CompletableFuture<List<LaneProgress>> done = new CompletableFuture<>();
    private Throwable brokerFailure;
    private boolean late;
    private boolean over;

    /** Flights that may still go, are in the air, or wait for news of their topic. */
    int open;

    /** A claimed lane with the fate of each of its events. */
    private record LaneFlights(ClaimedLane lane, List<Flight> dueHolds, List<Flight> events) {}

    /**
     * @param claimed what to publish
     * @param sendUntilNanos {@link System#nanoTime} after which nothing is sent any more, because the lease may end before the outcome is known
     * @param sendTimeoutNanos the longest that the outcome of a send can take
     */
    Publication(List<ClaimedLane> claimed, long sendUntilNanos, long sendTimeoutNanos) {
        this.sendUntilNanos = sendUntilNanos;
        this.giveUpNanos = sendUntilNanos + sendTimeoutNanos;
        Map<String, Flight> lastOfAggregate = new HashMap<>();
        for (ClaimedLane lane : claimed) {
            lanes.add(new LaneFlights(
                    lane, line(lane.dueHolds(), lastOfAggregate), line(lane.events(), lastOfAggregate)));
        }
        open = first.size();
    }

    private List<Flight> line(List<StoredEvent> events, Map<String, Flight> lastOfAggregate) {
        List<Flight> flights = new ArrayList<>(events.size());
        for (StoredEvent event : events) {
            Flight flight = new Flight(event, this);
            flights.add(flight);
            Flight before = lastOfAggregate.put(event.aggregateId(), flight);
            // One that is paused holds up those behind it, although nothing of them is on hold yet.
            if (event.held() || before != null && before.state == Flight.State.HELD) {
                flight.hold(Hold.blocked(event));
            } else if (before == null) {
                first.add(flight);
            } else {
                before.next = flight;
            }
        }
        return flights;
    }

    /** The first event of each aggregate: nothing has to be acknowledged before them. */
    List<Flight> first() {
        return first;
    }

    /** Completes with what each lane has achieved. */
    CompletableFuture<List<LaneProgress>> done() {
        return done;
    }

    /** What shows that Kafka as a whole cannot be written to, or {@code null}. */
    Throwable brokerFailure() {
        return brokerFailure;
    }

    /** Whether events stayed unsent because the time to send had run out. */
    boolean wasLate() {
        return late;
    }

    boolean maySend() {
        if (over || brokerFailure != null) {
            return false;
        }
        late |= System.nanoTime() - sendUntilNanos > 0;
        return !late;
    }

    void brokerFailed(Throwable failure) {
        brokerFailure = failure;
    }

    boolean isOver() {
        return over;
    }

    void fail(Throwable reason) {
        over = true;
        done.completeExceptionally(reason);
    }

    /**
     * Ends this publication if there is nothing left to wait for.
     *
     * @param timeIsUp whether it ends even so
     * @return whether it has ended
     */
    boolean retire(boolean timeIsUp) {
        if (open > 0 && !timeIsUp && System.nanoTime() - giveUpNanos < 0) {
            return false;
        }
        over = true;
        done.complete(lanes.stream().map(Publication::progress).toList());
        return true;
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
