package dev.outboxlog.inbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The table {@code processed_events}: the ids that were seen. */
@Singleton
class ProcessedEvents {

    /** The conflict target is named: any other unique violation is an error and no duplicate. */
    private static final String CLAIM = """
            INSERT INTO processed_events (event_id)
            SELECT u.event_id
            FROM unnest($1::uuid[]) AS u (event_id)
            ON CONFLICT (event_id) DO NOTHING
            RETURNING event_id
            """;

    /** Takes an id for a retry: one that was parked, or that was never remembered. */
    private static final String CLAIM_PARKED = """
            INSERT INTO processed_events AS p (event_id)
            VALUES ($1)
            ON CONFLICT (event_id) DO UPDATE SET outcome = p.outcome WHERE p.outcome = 'parked'
            RETURNING event_id
            """;

    private static final String OUTCOME = """
            SELECT outcome
            FROM processed_events
            WHERE event_id = $1
            """;

    private static final String MARK = """
            UPDATE processed_events AS p
            SET outcome = u.outcome
            FROM unnest($1::uuid[], $2::text[]) AS u (event_id, outcome)
            WHERE p.event_id = u.event_id
            """;

    /**
     * Remembers the ids and returns those that were new. Waits for a transaction that is about to remember the same id. Ids go in
     * sorted, so that two batches never wait for each other in a circle.
     */
    Uni<Set<UUID>> claim(SqlConnection transaction, Collection<UUID> ids) {
        UUID[] sorted = ids.stream().distinct().toArray(UUID[]::new);
        Arrays.sort(sorted);
        return transaction
                .preparedQuery(CLAIM)
                .execute(Tuple.tuple().addValue(sorted))
                .map(rows -> {
                    Set<UUID> fresh = new HashSet<>(rows.size() * 2);
                    rows.forEach(row -> fresh.add(row.getUUID("event_id")));
                    return fresh;
                });
    }

    /** Whether a parked event may be offered again; false where it was settled in some other way. */
    Uni<Boolean> claimParked(SqlConnection transaction, UUID id) {
        return transaction.preparedQuery(CLAIM_PARKED).execute(Tuple.of(id)).map(rows -> rows.size() == 1);
    }

    /** What became of an event that is remembered. */
    Uni<String> outcome(SqlConnection transaction, UUID id) {
        return transaction
                .preparedQuery(OUTCOME)
                .execute(Tuple.of(id))
                .map(rows -> rows.iterator().next().getString("outcome"));
    }

    /** Changes what became of ids that were claimed; "applied" is what a claim says already. */
    Uni<Void> mark(SqlConnection transaction, Map<UUID, ProcessedAs> outcomes) {
        if (outcomes.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        UUID[] ids = outcomes.keySet().toArray(UUID[]::new);
        Arrays.sort(ids);
        String[] texts = Arrays.stream(ids).map(id -> outcomes.get(id).text()).toArray(String[]::new);
        return transaction
                .preparedQuery(MARK)
                .execute(Tuple.tuple().addValue(ids).addValue(texts))
                .replaceWithVoid();
    }
}
