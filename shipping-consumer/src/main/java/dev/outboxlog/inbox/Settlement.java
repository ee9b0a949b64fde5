package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Candidate.OnHold;
import dev.outboxlog.inbox.Holds.Entry;
import dev.outboxlog.inbox.Holds.Reason;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Collects what one transaction has to write about its events, and writes it with a few statements. Not thread-safe. */
final class Settlement {

    private final Map<UUID, ProcessedAs> marks = new HashMap<>();
    private final Map<ProcessedAs, Integer> counts = new EnumMap<>(ProcessedAs.class);
    private final List<Entry> newHolds = new ArrayList<>();
    private final List<Long> freed = new ArrayList<>();
    private final Map<Long, Reason> changedHolds = new HashMap<>();
    private final List<Instant> appliedTimes = new ArrayList<>();
    private int duplicates;

    void duplicate() {
        duplicates++;
    }

    /** A record that is parked without the domain having seen it. */
    void park(Delivery delivery, String code, String reason) {
        newHolds.add(new Entry(delivery, Reason.parked(code, reason)));
        if (delivery.id() != null) {
            marks.put(delivery.id(), ProcessedAs.PARKED);
        }
        count(ProcessedAs.PARKED);
    }

    /** What the domain said about an event. */
    void settle(Candidate candidate, Outcome outcome) {
        InboxEvent event = candidate.event();
        OnHold onHold = candidate.onHold();
        if (outcome instanceof Outcome.Gap gap) {
            if (onHold == null || onHold.parked()) {
                String text = "sequence " + event.sequence() + " came, " + gap.known() + " is the last one known";
                hold(candidate, Reason.held(text));
                become(event, ProcessedAs.HELD);
            }
        } else if (outcome instanceof Outcome.Rejected rejected) {
            hold(candidate, Reason.parked(rejected.code(), rejected.reason()));
            become(event, ProcessedAs.PARKED);
        } else {
            if (onHold != null) {
                free(onHold);
            }
            settled(event, onHold, outcome);
        }
    }

    private void hold(Candidate candidate, Reason reason) {
        if (candidate.onHold() == null) {
            newHolds.add(new Entry(candidate.delivery(), reason));
        } else {
            changedHolds.put(candidate.onHold().holdId(), reason);
        }
    }

    /** What only waited for its turn is forgotten; what a person has touched is kept. */
    private void free(OnHold onHold) {
        if (onHold.parked()) {
            changedHolds.put(onHold.holdId(), Reason.settled());
        } else {
            freed.add(onHold.holdId());
        }
    }

    private void settled(InboxEvent event, OnHold onHold, Outcome outcome) {
        if (outcome instanceof Outcome.Stale) {
            become(event, ProcessedAs.STALE);
        } else if (outcome instanceof Outcome.Ignored) {
            become(event, ProcessedAs.IGNORED);
        } else {
            if (onHold != null) {
                marks.put(event.id(), ProcessedAs.APPLIED);
            }
            if (event.time() != null) {
                appliedTimes.add(event.time());
            }
            count(ProcessedAs.APPLIED);
        }
    }

    private void become(InboxEvent event, ProcessedAs outcome) {
        marks.put(event.id(), outcome);
        count(outcome);
    }

    private void count(ProcessedAs outcome) {
        counts.merge(outcome, 1, Integer::sum);
    }

    /** Where a record that was on hold before stands now; null where it is not on hold any more. */
    Reason reasonOf(long holdId) {
        return changedHolds.get(holdId);
    }

    /** Writes it all; one statement after the other, because a failure of one spoils the rest. */
    Uni<BatchResult> write(SqlConnection transaction, ProcessedEvents processed, Holds holds) {
        Uni<Void> written = holds.insert(transaction, newHolds)
                .chain(() -> processed.mark(transaction, marks))
                .chain(() -> holds.release(transaction, freed));
        for (Map.Entry<Long, Reason> changed : changedHolds.entrySet()) {
            written = written.chain(() -> holds.become(transaction, changed.getKey(), changed.getValue()));
        }
        return written.replaceWith(() -> new BatchResult(counts, duplicates, freed.size(), appliedTimes));
    }
}
