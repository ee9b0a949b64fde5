package dev.outboxlog.inbox;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a committed transaction did.
 *
 * @param counts how many events, by what became of them
 * @param duplicates how many were known already
 * @param freed how many held events found their place
 * @param appliedTimes when the applied events happened, by their producer's clock
 */
record BatchResult(Map<ProcessedAs, Integer> counts, int duplicates, int freed, List<Instant> appliedTimes) {

    BatchResult {
        counts = new EnumMap<>(counts);
        appliedTimes = List.copyOf(appliedTimes);
    }

    int count(ProcessedAs outcome) {
        return counts.getOrDefault(outcome, 0);
    }
}
