package dev.outboxlog.inbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Offers events to the domain inside a transaction and writes what came of them. */
@Singleton
class Offering {

    private final ProcessedEvents processed;
    private final Holds holds;
    private final EventHandler handler;

    Offering(ProcessedEvents processed, Holds holds, EventHandler handler) {
        this.processed = processed;
        this.holds = holds;
        this.handler = handler;
    }

    /** Nothing is offered and nothing written before somebody subscribes, once. */
    Uni<BatchResult> offer(SqlConnection transaction, List<Candidate> unordered, Settlement settlement) {
        if (unordered.isEmpty()) {
            return settlement.write(transaction, processed, holds);
        }
        List<Candidate> candidates = bySubjectAndSequence(unordered);
        List<InboxEvent> events = candidates.stream().map(Candidate::event).toList();
        return handler.handle(transaction, events).chain(outcomes -> {
            if (outcomes.size() != candidates.size()) {
                throw new IllegalStateException("the handler gave " + outcomes.size() + " outcomes for "
                        + candidates.size() + " events, but owes one for each");
            }
            for (int i = 0; i < outcomes.size(); i++) {
                settlement.settle(candidates.get(i), outcomes.get(i));
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
