package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Holds.Entry;
import dev.outboxlog.inbox.Holds.Held;
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
    private final Map<Long, Reason> parkedHolds = new HashMap<>();
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

    /**
     * What the domain said about an event.
     *
     * @param held where the event comes from the hold, otherwise null
     */
    void settle(Delivery delivery, InboxEvent event, Held held, Outcome outcome) {
        if (outcome instanceof Outcome.Gap gap) {
            if (held == null) {
                String reason = "sequence " + event.sequence() + " came, " + gap.known() + " is the last one known";
                newHolds.add(new Entry(delivery, Reason.held(reason)));
                become(event, ProcessedAs.HELD);
            }
        } else if (outcome instanceof Outcome.Rejected rejected) {
            Reason reason = Reason.parked(rejected.code(), rejected.reason());
            if (held == null) {
                newHolds.add(new Entry(delivery, reason));
            } else {
                parkedHolds.put(held.holdId(), reason);
            }
            become(event, ProcessedAs.PARKED);
        } else {
            if (held != null) {
                freed.add(held.holdId());
            }
            if (outcome instanceof Outcome.Stale) {
                become(event, ProcessedAs.STALE);
            } else if (outcome instanceof Outcome.Ignored) {
                become(event, ProcessedAs.IGNORED);
            } else {
                applied(event, held);
            }
        }
    }

    private void applied(InboxEvent event, Held held) {
        if (held != null) {
            marks.put(event.id(), ProcessedAs.APPLIED);
        }
        if (event.time() != null) {
            appliedTimes.add(event.time());
        }
        count(ProcessedAs.APPLIED);
    }

    private void become(InboxEvent event, ProcessedAs outcome) {
        marks.put(event.id(), outcome);
        count(outcome);
    }

    private void count(ProcessedAs outcome) {
        counts.merge(outcome, 1, Integer::sum);
    }

    /** Writes it all; one statement after the other, because a failure of one spoils the rest. */
    Uni<BatchResult> write(SqlConnection transaction, ProcessedEvents processed, Holds holds) {
        Uni<Void> written = holds.insert(transaction, newHolds)
                .chain(() -> processed.mark(transaction, marks))
                .chain(() -> holds.release(transaction, freed));
        for (Map.Entry<Long, Reason> parked : parkedHolds.entrySet()) {
            written = written.chain(() -> holds.park(transaction, parked.getKey(), parked.getValue()));
        }
        return written.replaceWith(() -> new BatchResult(counts, duplicates, freed.size(), appliedTimes));
    }
}
