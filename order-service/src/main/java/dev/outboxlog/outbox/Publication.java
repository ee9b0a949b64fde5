package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The events of one claim on their way to Kafka: of each aggregate a line, in which one event leaves after the other. See {@link Publisher}.
 */
final class Publication {

    private final List<LaneFlights> lanes = new ArrayList<>();
    private final List<Flight> first = new ArrayList<>();
    private final long sendUntilNanos;
    private final long giveUpNanos;
    /** Lines of which an event may still go, is in the air, or waits for news of its topic. */
    private final AtomicInteger open;
    /** What the client's threads leave to the thread that publishes. */
    private final BlockingQueue<Runnable> chores = new LinkedBlockingQueue<>();

    private volatile Throwable brokerFailure;
    private volatile boolean late;
    private volatile boolean over;

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
        open = new AtomicInteger(first.size());
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

    /** What shows that Kafka as a whole cannot be written to, or {@code null}. */
    Throwable brokerFailure() {
        return brokerFailure;
    }

    void brokerFailed(Throwable failure) {
        brokerFailure = failure;
    }

    /** Whether events stayed unsent because the time to send had run out. */
    boolean wasLate() {
        return late;
    }

    /** Whether a further event may be sent. */
    boolean maySend() {
        if (over || brokerFailure != null) {
            return false;
        }
        if (System.nanoTime() - sendUntilNanos > 0) {
            late = true;
        }
        return !late;
    }

    /** Whether no outcome can come any more. */
    boolean isTimeUp() {
        return System.nanoTime() - giveUpNanos >= 0;
    }

    /** Whether there is something to wait for. */
    boolean isOpen() {
        return open.get() > 0;
    }

    /** Nothing more of an aggregate is sent. */
    void lineEnded() {
        if (open.decrementAndGet() == 0) {
            later(() -> {});
        }
    }

    /** Has this done by the thread that publishes. */
    void later(Runnable chore) {
        chores.add(chore);
    }

    /** Does what was left to this thread. */
    void runChores() {
        for (Runnable chore = chores.poll(); chore != null; chore = chores.poll()) {
            chore.run();
        }
    }

    /** Waits for something to do, at most so long, and does it. */
    void awaitChore(Duration atMost) throws InterruptedException {
        Runnable chore = chores.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
        if (chore != null) {
            chore.run();
        }
    }

    /** Nothing more is sent, and what is still in the air is not waited for. */
    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }

    /** What each lane has achieved. */
    List<LaneProgress> progress() {
        return lanes.stream().map(Publication::progress).toList();
    }

    private static LaneProgress progress(LaneFlights flights) {
        long cursor = flights.lane().cursor();
        List<Hold> holds = new ArrayList<>();
        List<LaneProgress.Delivery> deliveries = new ArrayList<>();
        List<Long> freed = new ArrayList<>();
        List<Flight> delivered = new ArrayList<>();
        boolean settled = true;
        boolean passable = true;
        for (Flight flight : flights.events()) {
            Flight.State state = flight.state;
            settled &= state != Flight.State.SENT;
            // The cursor may not pass an event whose fate is unknown.
            passable &= state == Flight.State.ACKNOWLEDGED || state == Flight.State.HELD;
            if (passable) {
                cursor = flight.event.position();
                if (state == Flight.State.ACKNOWLEDGED) {
                    delivered.add(flight);
                } else {
                    holds.add(flight.hold);
                }
            }
        }
        if (!delivered.isEmpty()) {
            deliveries.add(Flight.ledger(delivered));
        }
        for (Flight flight : flights.dueHolds()) {
            Flight.State state = flight.state;
            settled &= state != Flight.State.SENT;
            if (state == Flight.State.ACKNOWLEDGED) {
                freed.add(flight.event.position());
                deliveries.add(Flight.ledger(List.of(flight)));
            } else if (state == Flight.State.HELD && flight.hold.state() != Hold.State.BLOCKED) {
                holds.add(flight.hold);
            }
        }
        return new LaneProgress(
                flights.lane().lane(), flights.lane().epoch(), cursor, settled, deliveries, holds, freed);
    }
}
