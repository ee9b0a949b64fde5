package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Candidate.OnHold;
import dev.outboxlog.inbox.Delivery.Reading;
import dev.outboxlog.inbox.Memory.Horizon;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/**
 * One attempt of some records: one transaction, committed or rolled back as a whole. Remembering the ids comes first; only what is
 * new goes on to the domain.
 */
@Singleton
class BatchTransaction {

    /** The most held events of one subject that follow a missing one at once; the sweep gets the rest. */
    private static final int MOST_HELD = 1000;

    private final Pool pool;
    private final ProcessedEvents processed;
    private final Holds holds;
    private final Memory memory;
    private final Offering offering;
    private final Set<String> knownTypes;
    private final boolean parkUnknownTypes;

    BatchTransaction(
            Pool pool,
            ProcessedEvents processed,
            Holds holds,
            Memory memory,
            Offering offering,
            EventHandler handler,
            InboxConfig config) {
        this.pool = pool;
        this.processed = processed;
        this.holds = holds;
        this.memory = memory;
        this.offering = offering;
        this.knownTypes = handler.types();
        this.parkUnknownTypes = config.unknownTypes() == InboxConfig.UnknownTypes.PARK;
    }

    /**
     * Applies what is new among the records, together with what was held for want of it.
     *
     * @param withHeld false leaves the held events alone: to find out whether one of them spoils the transaction
     */
    Uni<BatchResult> run(List<Delivery> batch, boolean withHeld) {
        List<UUID> ids =
                batch.stream().map(Delivery::id).filter(Objects::nonNull).toList();
        return pool.withTransaction(transaction -> processed
                .claim(transaction, ids)
                .chain(fresh -> memory.horizon(transaction).chain(horizon -> {
                    Settlement settlement = new Settlement();
                    List<Candidate> candidates = candidates(batch, fresh, horizon, settlement);
                    return withHeld && !candidates.isEmpty()
                            ? offerWithHeld(transaction, candidates, settlement)
                            : offering.offer(transaction, candidates, settlement);
                })));
    }

    /** Offers the held events of some subjects again, the given number of each at most. */
    Uni<BatchResult> runHeld(Collection<String> subjects, int each) {
        return pool.withTransaction(transaction -> holds.heldOf(transaction, subjects, each)
                .chain(held -> offering.offer(transaction, held, new Settlement())));
    }

    /** Parks a record that cannot be applied; one that somebody else has settled meanwhile is a duplicate. */
    Uni<BatchResult> park(Delivery delivery, String code, String reason) {
        List<UUID> ids = delivery.id() == null ? List.of() : List.of(delivery.id());
        return pool.withTransaction(transaction -> processed
                .claim(transaction, ids)
                .chain(fresh -> {
                    Settlement settlement = new Settlement();
                    if (delivery.id() == null || !fresh.isEmpty()) {
                        settlement.park(delivery, code, reason);
                    } else {
                        settlement.duplicate();
                    }
                    return settlement.write(transaction, processed, holds);
                }));
    }

    /** Parks the first held event of a subject. */
    Uni<Void> parkFirstHeld(String subject, String code, String reason) {
        return pool.withTransaction(transaction -> holds.heldOf(transaction, List.of(subject), 1)
                .chain(held -> {
                    if (held.isEmpty()) {
                        return Uni.createFrom().voidItem();
                    }
                    OnHold first = held.get(0).onHold();
                    return processed
                            .mark(transaction, Map.of(held.get(0).event().id(), ProcessedAs.PARKED))
                            .chain(() -> holds.become(transaction, first.holdId(), Holds.Reason.parked(code, reason)));
                }));
    }

    /** Leaves what is new and readable; settles the rest. A copy inside the batch finds its id taken by the first one. */
    private List<Candidate> candidates(List<Delivery> batch, Set<UUID> fresh, Horizon horizon, Settlement settlement) {
        List<Candidate> candidates = new ArrayList<>(fresh.size());
        for (Delivery delivery : batch) {
            if (delivery.id() != null && !fresh.remove(delivery.id())) {
                settlement.duplicate();
            } else if (delivery.reading() instanceof Reading.Malformed malformed) {
                settlement.park(delivery, malformed.code(), malformed.reason());
            } else if (delivery.reading() instanceof Reading.Readable readable) {
                if (horizon.hides(readable.event().id())) {
                    settlement.park(
                            delivery,
                            "beyond-horizon",
                            "its id is older than " + horizon.before() + ": it cannot be told from a duplicate");
                } else if (parkUnknownTypes
                        && !knownTypes.contains(readable.event().type())) {
                    settlement.park(delivery, "unknown-type", "nobody here understands this type of event");
                } else {
                    candidates.add(Candidate.fromKafka(delivery, readable.event()));
                }
            }
        }
        return candidates;
    }

    private Uni<BatchResult> offerWithHeld(
            SqlConnection transaction, List<Candidate> candidates, Settlement settlement) {
        List<String> subjects = candidates.stream()
                .map(candidate -> candidate.event().subject())
                .toList();
        return holds.heldOf(transaction, subjects, MOST_HELD).chain(held -> {
            List<Candidate> all = new ArrayList<>(candidates);
            all.addAll(held);
            return offering.offer(transaction, all, settlement);
        });
    }
}
