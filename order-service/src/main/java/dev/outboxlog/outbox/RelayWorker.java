package dev.outboxlog.outbox;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Moves events from lanes to Kafka, one claim after the other: claim and read, publish, advance. Runs on a thread of its own, which may
 * block; never on an event loop.
 *
 * <p>What is left behind when the process dies: before the claim nothing; after it, lanes whose lease ends by itself; after publishing, the
 * same lanes, and their events are published once more by whoever claims them next.
 */
final class RelayWorker {

    private static final Logger LOG = Logger.getLogger(RelayWorker.class);
    /** How much longer than the database the client waits for a statement. */
    private static final Duration CLIENT_MARGIN = Duration.ofSeconds(1);

    /** How a cycle went. */
    enum Cycle {
        /** There was nothing to do. */
        IDLE,
        /** All that was found was dealt with. */
        MOVED,
        /** The claim was full: there is more to do than this worker can take at a time. */
        FULL,
        /** Kafka could not be written to. */
        FAILED
    }

    private final String owner;
    private final LaneRepository lanes;
    private final PublisherContext context;
    private final RelaySettings settings;

    /**
     * @param owner in whose name lanes are claimed; no two workers anywhere may share it
     * @param lanes the SQL
     * @param context the rest
     */
    RelayWorker(String owner, LaneRepository lanes, PublisherContext context) {
        this.owner = owner;
        this.lanes = lanes;
        this.context = context;
        this.settings = context.settings();
    }

    /** A claim in hand, with the moment from which on nothing of it is sent any more. */
    record Claim(List<ClaimedLane> lanes, long claimedNanos) {}

    /**
     * One whole cycle.
     *
     * @param probe whether only one event is tried, because Kafka was away a moment ago
     * @param kafka notes whether Kafka could be written to
     */
    Cycle cycle(boolean probe, Outage kafka) throws InterruptedException {
        Claim claim = claim(probe);
        if (claim.lanes().isEmpty() || context.stop().isStopping() && giveBack(claim)) {
            return Cycle.IDLE;
        }
        Publication publication = publication(claim);
        List<LaneProgress> progress = publication.fly();
        advance(claim, progress);
        if (publication.wasLate()) {
            context.metrics().claimWasLate();
            LOG.warnf("a claim was too old to send all of its events. owner=%s", owner);
        }
        if (publication.brokerFailure() != null) {
            kafka.failed(publication.brokerFailure());
            return Cycle.FAILED;
        }
        kafka.succeeded();
        return isFull(claim) ? Cycle.FULL : Cycle.MOVED;
    }

    /** Claims lanes and reads their next events. */
    Claim claim(boolean probe) {
        // The lease starts in the database, a little later than this: on the safe side.
        long now = System.nanoTime();
        List<ClaimedLane> claimed = await(lanes.claim(
                owner,
                settings.lease(),
                probe ? 1 : settings.lanesPerClaim(),
                probe ? 1 : settings.eventsPerLane(),
                settings.bytesPerLane()));
        return new Claim(claimed, now);
    }

    /** The claim's events, ready to be sent. */
    Publication publication(Claim claim) {
        return new Publication(
                context,
                claim.lanes(),
                claim.claimedNanos() + settings.sendWindow().toNanos());
    }

    /**
     * Writes what the claim has achieved. While the database does not answer, it tries again until the lease ends: what is not written is
     * published again.
     *
     * @return the lanes for which it was written
     */
    Set<Integer> advance(Claim claim, List<LaneProgress> progress) throws InterruptedException {
        long leaseEnds = claim.claimedNanos() + settings.lease().toNanos();
        Outage database = new Outage("PostgreSQL, while a delivery is to be written,", settings.outage());
        while (true) {
            try {
                Set<Integer> written = await(lanes.advance(owner, progress));
                // After a failure it is not known whether that attempt was written after all; then the fence stops this
                // one, rightly.
                if (!database.succeeded()) {
                    countLost(progress, written);
                }
                countDelivered(claim, progress, written);
                return written;
            } catch (RuntimeException e) {
                database.failed(e);
                Duration pause = database.pause();
                boolean leaseEndsFirst = System.nanoTime() + pause.toNanos() - leaseEnds > 0;
                if (leaseEndsFirst || context.stop().isStopping()) {
                    throw e;
                }
                context.stop().pause(pause);
            }
        }
    }

    private boolean giveBack(Claim claim) throws InterruptedException {
        List<LaneProgress> untouched = claim.lanes().stream()
                .map(lane -> new LaneProgress(
                        lane.lane(), lane.epoch(), lane.cursor(), true, List.of(), List.of(), List.of()))
                .toList();
        advance(claim, untouched);
        return true;
    }

    private void countLost(List<LaneProgress> progress, Set<Integer> written) {
        List<Integer> lost = new ArrayList<>();
        for (LaneProgress lane : progress) {
            if (!written.contains(lane.lane())) {
                lost.add(lane.lane());
            }
        }
        if (!lost.isEmpty()) {
            context.metrics().leasesLost(lost.size());
            LOG.warnf(
                    "lanes were claimed by another relay before their delivery was written. owner=%s lanes=%s",
                    owner, lost);
        }
    }

    private void countDelivered(Claim claim, List<LaneProgress> progress, Set<Integer> written) {
        int delivered = 0;
        int redelivered = 0;
        for (int i = 0; i < progress.size(); i++) {
            LaneProgress lane = progress.get(i);
            if (written.contains(lane.lane())) {
                delivered += lane.delivered();
                if (claim.lanes().get(i).takenOver()) {
                    redelivered += lane.delivered();
                }
            }
        }
        context.metrics().delivered(delivered);
        if (redelivered > 0) {
            context.metrics().redelivered(redelivered);
            LOG.infof(
                    "took over lanes whose lease had run out; up to so many events were published before. owner=%s events=%d",
                    owner, redelivered);
        }
    }

    private boolean isFull(Claim claim) {
        return claim.lanes().size() == settings.lanesPerClaim()
                || claim.lanes().stream().anyMatch(lane -> lane.events().size() == settings.eventsPerLane());
    }

    private <T> T await(Uni<T> statement) {
        return statement.await().atMost(settings.statementTimeout().plus(CLIENT_MARGIN));
    }
}
