package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Delivery.Reading;
import dev.outboxlog.inbox.Holds.Held;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
    private final EventHandler handler;
    private final boolean parkUnknownTypes;

    BatchTransaction(Pool pool, ProcessedEvents processed, Holds holds, EventHandler handler, InboxConfig config) {
        this.pool = pool;
        this.processed = processed;
        this.holds = holds;
        this.handler = handler;
        this.parkUnknownTypes = config.unknownTypes() == InboxConfig.UnknownTypes.PARK;
    }

    /** An event on its way to the domain; {@code held} is null for one that comes from Kafka. */
    private record Candidate(Delivery delivery, InboxEvent event, Held held) {}

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
                .chain(fresh -> {
                    Settlement settlement = new Settlement();
                    List<Candidate> candidates = candidates(batch, fresh, settlement);
                    return handle(transaction, candidates, withHeld, settlement);
                }));
    }

    /** Offers the held events of some subjects again. */
    Uni<BatchResult> runHeld(Collection<String> subjects, int limit) {
        return pool.withTransaction(transaction -> holds.heldOf(transaction, subjects, limit)
                .chain(held -> {
                    Settlement settlement = new Settlement();
                    return offer(transaction, held.stream().map(this::candidate).toList(), settlement);
                }));
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
                    Held first = held.get(0);
                    return processed
                            .mark(transaction, Map.of(first.delivery().id(), ProcessedAs.PARKED))
                            .chain(() -> holds.park(transaction, first.holdId(), Holds.Reason.parked(code, reason)));
                }));
    }

    /** Leaves what is new and readable; settles the rest. A copy inside the batch finds its id taken by the first one. */
    private List<Candidate> candidates(List<Delivery> batch, Set<UUID> fresh, Settlement settlement) {
        List<Candidate> candidates = new ArrayList<>(fresh.size());
        for (Delivery delivery : batch) {
            if (delivery.id() != null && !fresh.remove(delivery.id())) {
                settlement.duplicate();
            } else if (delivery.reading() instanceof Reading.Malformed malformed) {
                settlement.park(delivery, malformed.code(), malformed.reason());
            } else if (delivery.reading() instanceof Reading.Readable readable) {
                if (parkUnknownTypes
                        && !handler.types().contains(readable.event().type())) {
                    settlement.park(delivery, "unknown-type", "nobody here understands this type of event");
                } else {
                    candidates.add(new Candidate(delivery, readable.event(), null));
                }
            }
        }
        return candidates;
    }

    private Uni<BatchResult> handle(
            SqlConnection transaction, List<Candidate> candidates, boolean withHeld, Settlement settlement) {
        if (candidates.isEmpty()) {
            return settlement.write(transaction, processed, holds);
        }
        if (!withHeld) {
            return offer(transaction, candidates, settlement);
        }
        List<String> subjects = candidates.stream()
                .map(candidate -> candidate.event().subject())
                .toList();
        return holds.heldOf(transaction, subjects, MOST_HELD).chain(held -> {
            List<Candidate> all = new ArrayList<>(candidates);
            held.forEach(one -> all.add(candidate(one)));
            return offer(transaction, all, settlement);
        });
    }

    private Candidate candidate(Held held) {
        // Only what could be read is held.
        Reading.Readable readable = (Reading.Readable) held.delivery().reading();
        return new Candidate(held.delivery(), readable.event(), held);
    }

    private Uni<BatchResult> offer(SqlConnection transaction, List<Candidate> unordered, Settlement settlement) {
        List<Candidate> candidates = bySubjectAndSequence(unordered);
        List<InboxEvent> events = candidates.stream().map(Candidate::event).toList();
        return handler.handle(transaction, events).chain(outcomes -> {
            if (outcomes.size() != candidates.size()) {
                throw new IllegalStateException("the handler gave " + outcomes.size() + " outcomes for "
                        + candidates.size() + " events, but owes one for each");
            }
            for (int i = 0; i < outcomes.size(); i++) {
                Candidate candidate = candidates.get(i);
                settlement.settle(candidate.delivery(), candidate.event(), candidate.held(), outcomes.get(i));
            }
            return settlement.write(transaction, processed, holds);
        });
    }

    /** Subjects stay in the order in which they came; within one, the sequence decides. */
    private static List<Candidate> bySubjectAndSequence(List<Candidate> candidates) {
        Map<String, List<Candidate>> bySubject = new LinkedHashMap<>();
        for (Candidate candidate : candidates) {
            bySubject
                    .computeIfAbsent(candidate.event().subject(), subject -> new ArrayList<>())
                    .add(candidate);
        }
        List<Candidate> ordered = new ArrayList<>(candidates.size());
        for (List<Candidate> ofOne : bySubject.values()) {
            ofOne.sort(Comparator.comparingLong(candidate -> candidate.event().sequence()));
            ordered.addAll(ofOne);
        }
        return ordered;
    }
}
