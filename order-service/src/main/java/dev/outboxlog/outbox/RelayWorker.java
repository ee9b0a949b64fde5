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

    /** How much a cycle takes. */
    enum Mode {
        /** As much as one claim may hold. */
        ORDINARY,
        /** One event of any lane: Kafka was away a moment ago. */
        PROBE,
        /** One event of a lane whose claims do not come back. */
        CAREFUL
    }

    private final String owner;
    private final LaneClaims claims;
    private final LaneAdvances advances;
    private final Publisher publisher;
    private final PublisherContext context;
    private final RelaySettings settings;

    /**
     * @param owner in whose name lanes are claimed; no two workers anywhere may share it
     * @param claims the SQL of claims
     * @param advances the SQL of their results
     * @param publisher sends the events
     * @param context the rest
     */
    RelayWorker(String owner, LaneClaims claims, LaneAdvances advances, Publisher publisher, PublisherContext context) {
        this.owner = owner;
        this.claims = claims;
        this.advances = advances;
        this.publisher = publisher;
        this.context = context;
        this.settings = context.settings();
    }

    /** A claim in hand, with the moment from which on nothing of it is sent any more. */
    record Claim(List<ClaimedLane> lanes, long claimedNanos) {}

    /**
     * One whole cycle.
     *
     * @param mode how much is taken
     * @param kafka notes whether Kafka could be written to
     */
    Cycle cycle(Mode mode, Outage kafka) throws InterruptedException {
        return finish(claim(mode), mode, kafka);
    }

    /** What comes after the claim. */
    Cycle finish(Claim claim, Mode mode, Outage kafka) throws InterruptedException {
        try {
            return move(claim, mode, kafka);
        } catch (RuntimeException e) {
            if (System.nanoTime() - claim.claimedNanos() > settings.lease().toNanos()) {
                lost(claim.lanes().stream().map(ClaimedLane::lane).toList());
            }
            throw e;
        }
    }

    private Cycle move(Claim claim, Mode mode, Outage kafka) throws InterruptedException {
        if (claim.lanes().isEmpty() || context.stop().isStopping() && giveBack(claim)) {
            return Cycle.IDLE;
        }
        if (mode == Mode.CAREFUL && park(claim)) {
            return Cycle.MOVED;
        }
        Publication publication = publication(claim);
        List<LaneProgress> progress = publish(publication);
        advance(claim, progress);
        if (publication.wasLate()) {
            late("a claim was too old to send all of its events");
        }
        if (publication.brokerFailure() != null) {
            kafka.failed(publication.brokerFailure());
            return Cycle.FAILED;
        }
        kafka.succeeded();
        return isFull(claim) ? Cycle.FULL : Cycle.MOVED;
    }

    /** Claims lanes and reads their next events. */
    Claim claim(Mode mode) {
        // The lease starts in the database, a little later than this: on the safe side.
        long now = System.nanoTime();
        boolean probe = mode == Mode.PROBE;
        try {
            List<ClaimedLane> claimed = await(claims.claim(
                    owner,
                    new LaneClaims.Terms(
                            settings.lease(),
                            probe ? 1 : settings.lanesPerClaim(),
                            probe ? 1 : settings.eventsPerLane(),
                            settings.bytesPerLane(),
                            settings.suspectAfter(),
                            mode == Mode.CAREFUL)));
            return new Claim(claimed, now);
        } catch (RuntimeException e) {
            // It may have been carried out all the same, and its lanes then wait for the lease. No statement takes so
            // long: the process was frozen.
            if (System.nanoTime() - now > settings.sendWindow().toNanos()) {
                late("a claim got no answer while it was good");
            }
            throw e;
        }
    }

    private void late(String what) {
        context.metrics().claimWasLate();
        LOG.warnf("%s. owner=%s", what, owner);
    }

    /**
     * Parks the event of a careful claim if too many such claims of it were lost.
     *
     * @return whether it was parked
     */
    private boolean park(Claim claim) throws InterruptedException {
        ClaimedLane lane = claim.lanes().get(0);
        boolean isHold = !lane.dueHolds().isEmpty();
        List<StoredEvent> suspects = isHold ? lane.dueHolds() : lane.events();
        if (lane.claimsLost() < settings.parkAfter() || suspects.isEmpty()) {
            return false;
        }
        StoredEvent suspect = suspects.get(0);
        context.metrics().publishFailed(FailureClass.RELAY);
        LOG.errorf(
                "an event is parked because no claim of it comes back. event=%s aggregate=%s lane=%d claimsLost=%d",
                suspect.id(), suspect.aggregateId(), lane.lane(), lane.claimsLost());
        advance(
                claim,
                List.of(new LaneProgress(
                        lane.lane(),
                        lane.epoch(),
                        isHold ? lane.cursor() : suspect.position(),
                        true,
                        List.of(),
                        List.of(context.parkedAsKiller(suspect, lane.claimsLost())),
                        List.of())));
        return true;
    }

    /** Whether there is anything for a careful cycle. */
    boolean seesSuspects() {
        return await(claims.seesSuspects(settings.suspectAfter()));
    }

    /** The claim's events, ready to be sent. */
    Publication publication(Claim claim) {
        return new Publication(
                claim.lanes(),
                claim.claimedNanos() + settings.sendWindow().toNanos(),
                settings.sendTimeout().toNanos());
    }

    /** Publishes, and waits until all that was sent is settled: see {@link Publisher#publish}. */
    List<LaneProgress> publish(Publication publication) throws InterruptedException {
        return publisher.publish(publication);
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
                Set<Integer> written = await(advances.advance(owner, progress));
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
        lost(lost);
    }

    private void lost(List<Integer> lanes) {
        if (!lanes.isEmpty()) {
            context.metrics().leasesLost(lanes.size());
            LOG.warnf(
                    "the lease of lanes ended before their delivery was written; another relay may have them. owner=%s lanes=%s",
                    owner, lanes);
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
