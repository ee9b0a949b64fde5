package dev.outboxlog.inbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tables {@code inbox_hold} and {@code inbox_action}, as people use them: what waits, and what was done about it. */
@Singleton
class HoldDesk {

    private static final String LIST = """
            SELECT hold_id, state, reason_code, reason, event_id, event_type, subject, sequence, topic, partition,
                record_offset, held_at, updated_at
            FROM inbox_hold
            WHERE state = $1
                AND hold_id > $2
                AND ($3::text IS NULL OR subject = $3)
                AND ($4::text IS NULL OR event_type = $4)
                AND ($5::text IS NULL OR reason_code = $5)
            ORDER BY hold_id
            LIMIT $6
            """;

    private static final String FIND = """
            SELECT hold_id, state, reason_code, reason, event_id, event_type, subject, sequence, topic, partition,
                record_offset, held_at, updated_at, record_key, record_value, header_names, header_values
            FROM inbox_hold
            WHERE hold_id = $1
            """;

    private static final String ACTIONS = """
            SELECT action, who, why, outcome, acted_at
            FROM inbox_action
            WHERE hold_id = $1
            ORDER BY action_id
            """;

    private static final String LOCK = """
            SELECT state, topic, partition, record_offset, record_key, record_value, header_names, header_values
            FROM inbox_hold
            WHERE hold_id = $1
            FOR UPDATE
            """;

    /** The record, its event and the audit in one statement; it changes nothing that somebody else has settled. */
    private static final String DISCARD = """
            WITH discarded AS (
                UPDATE inbox_hold
                SET state = 'discarded', updated_at = now()
                WHERE hold_id = $1 AND state IN ('held', 'parked')
                RETURNING hold_id, event_id, subject
            ), marked AS (
                UPDATE processed_events AS p
                SET outcome = 'discarded'
                FROM discarded AS d
                WHERE p.event_id = d.event_id
            ), audited AS (
                INSERT INTO inbox_action (hold_id, subject, action, who, why, outcome)
                SELECT d.hold_id, d.subject, 'discard', $2, $3, 'discarded'
                FROM discarded AS d
            )
            SELECT hold_id
            FROM discarded
            """;

    private static final String AUDIT = """
            INSERT INTO inbox_action (hold_id, subject, action, who, why, outcome)
            VALUES ($1, $2, $3, $4, $5, $6)
            """;

    private final Pool pool;

    HoldDesk(Pool pool) {
        this.pool = pool;
    }

    /** What to list; null means that it does not matter. */
    record Filter(String state, String subject, String type, String reasonCode) {}

    /** A record on hold, locked for as long as the transaction lasts. */
    record Locked(String state, Delivery delivery) {}

    Uni<List<HeldRecord>> list(Filter filter, long after, int limit) {
        Tuple parameters = Tuple.tuple()
                .addString(filter.state())
                .addLong(after)
                .addString(filter.subject())
                .addString(filter.type())
                .addString(filter.reasonCode())
                .addInteger(limit);
        return pool.preparedQuery(LIST).execute(parameters).map(rows -> {
            List<HeldRecord> records = new ArrayList<>(rows.size());
            rows.forEach(row -> records.add(HeldRecord.of(row)));
            return records;
        });
    }

    Uni<Optional<HeldRecord.Whole>> find(long holdId) {
        return pool.preparedQuery(FIND).execute(Tuple.of(holdId)).chain(rows -> {
            if (rows.size() == 0) {
                return Uni.createFrom().item(Optional.empty());
            }
            Row row = rows.iterator().next();
            return actions(holdId).map(actions -> Optional.of(HeldRecord.Whole.of(row, actions)));
        });
    }

    private Uni<List<HeldRecord.Action>> actions(long holdId) {
        return pool.preparedQuery(ACTIONS).execute(Tuple.of(holdId)).map(rows -> {
            List<HeldRecord.Action> actions = new ArrayList<>(rows.size());
            rows.forEach(row -> actions.add(HeldRecord.Action.of(row)));
            return actions;
        });
    }

    Uni<Optional<Locked>> lock(SqlConnection transaction, long holdId) {
        return transaction.preparedQuery(LOCK).execute(Tuple.of(holdId)).map(rows -> {
            if (rows.size() == 0) {
                return Optional.empty();
            }
            Row row = rows.iterator().next();
            return Optional.of(new Locked(row.getString("state"), Delivery.of(Holds.record(row))));
        });
    }

    /** True if it was this call that did it. */
    Uni<Boolean> discard(long holdId, Deed deed) {
        return pool.preparedQuery(DISCARD)
                .execute(Tuple.of(holdId, deed.who(), deed.why()))
                .map(rows -> rows.size() == 1);
    }

    /**
     * Writes down what was done.
     *
     * @param holdId null for what was done to a whole subject
     */
    Uni<Void> audit(SqlConnection transaction, Long holdId, String subject, String action, Deed deed, String outcome) {
        Tuple parameters = Tuple.tuple()
                .addLong(holdId)
                .addString(subject)
                .addString(action)
                .addString(deed.who())
                .addString(deed.why())
                .addString(outcome);
        return transaction.preparedQuery(AUDIT).execute(parameters).replaceWithVoid();
    }
}
