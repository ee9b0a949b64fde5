package dev.outboxlog.outbox.ops;

import dev.outboxlog.outbox.ops.ReplayOrder.Selection;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Finds delivered events and puts them on hold as replays. */
@ApplicationScoped
class DeliveredEvents {

    /** How far events are counted that are too many. */
    static final int COUNTED = 200_000;

    private static final String BY_IDS = """
            SELECT e.lane, e.position, e.id, e.aggregate_id, e.created_at, count(*) OVER () AS total, clock_timestamp() AS now
            FROM unnest($1::uuid[]) AS wanted (id)
            CROSS JOIN LATERAL (
              SELECT n.lane, n.position, n.id, n.aggregate_id, n.created_at FROM outbox_log n WHERE n.id = wanted.id LIMIT 1
            ) e
            WHERE e.position <= (SELECT l.cursor FROM outbox_lane l WHERE l.lane = e.lane ORDER BY l.epoch DESC LIMIT 1)
              AND (SELECT h.position FROM outbox_hold h WHERE h.lane = e.lane AND h.position = e.position) IS NULL
            LIMIT $2
            """;

    private static final String BY_AGGREGATE = """
            SELECT found.lane, found.position, found.id, found.aggregate_id, found.created_at, count(*) OVER () AS total,
                   clock_timestamp() AS now
            FROM (
              SELECT e.lane, e.position, e.id, e.aggregate_id, e.created_at
              FROM outbox_log e
              WHERE e.lane = outbox_lane_of($1) AND e.aggregate_id = $1
                AND e.position <= (SELECT l.cursor FROM outbox_lane l WHERE l.lane = e.lane ORDER BY l.epoch DESC LIMIT 1)
                AND (SELECT h.position FROM outbox_hold h WHERE h.lane = e.lane AND h.position = e.position) IS NULL
              ORDER BY e.position
              LIMIT $3
            ) found
            LIMIT $2
            """;

    private static final String BY_TIME = """
            SELECT found.lane, found.position, found.id, found.aggregate_id, found.created_at, count(*) OVER () AS total,
                   clock_timestamp() AS now
            FROM (
              SELECT e.lane, e.position, e.id, e.aggregate_id, e.created_at
              FROM outbox_log e
              WHERE e.created_at >= $1 AND e.created_at < $2
                AND ($3::text IS NULL OR e.topic = $3)
                AND ($4::text IS NULL OR e.type = $4)
                AND e.position <= (SELECT l.cursor FROM outbox_lane l WHERE l.lane = e.lane ORDER BY l.epoch DESC LIMIT 1)
                AND (SELECT h.position FROM outbox_hold h WHERE h.lane = e.lane AND h.position = e.position) IS NULL
              ORDER BY e.created_at, e.position
              LIMIT $6
            ) found
            LIMIT $5
            """;

    // All are blocked at first; putting their lanes in order frees the first of each aggregate. What is not
    // delivered or is on hold already is left alone: another replay may have been quicker.
    private static final String REPLAY = """
            WITH replayed AS (
              INSERT INTO outbox_hold (lane, position, event_id, aggregate_id, state, attempts, replay)
              SELECT e.lane, e.position, e.id, e.aggregate_id, 'blocked', 0, true
              FROM unnest($1::smallint[], $2::bigint[]) AS chosen (lane, position)
              CROSS JOIN LATERAL (
                SELECT n.lane, n.position, n.id, n.aggregate_id
                FROM outbox_log n
                WHERE n.lane = chosen.lane AND n.position = chosen.position
                LIMIT 1
              ) e
              WHERE e.position <= (SELECT l.cursor FROM outbox_lane l WHERE l.lane = e.lane ORDER BY l.epoch DESC LIMIT 1)
              ON CONFLICT (lane, position) DO NOTHING
              RETURNING lane, position
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'replay', $3, $4, $5, count(*), CASE WHEN count(*) = 0 THEN 'nothing to do: none is delivered' ELSE 'retrying' END
              FROM replayed
              RETURNING action_id
            ), noted AS (
              INSERT INTO outbox_action_event (lane, position, action_id)
              SELECT r.lane, r.position, a.action_id FROM replayed r CROSS JOIN audited a
            )
            SELECT count(*)::integer AS events FROM replayed
            """;

    private final Pool pool;

    DeliveredEvents(Pool pool) {
        this.pool = pool;
    }

    /** A delivered event that may be replayed. */
    record Candidate(EventPlace place, String aggregateId, Instant createdAt) {

        /** The time by which consumers remember: a UUID version 7 tells it itself. */
        Instant rememberedAs() {
            UUID id = place.id();
            boolean timeOrdered = id.version() == 7;
            return timeOrdered ? Instant.ofEpochMilli(id.getMostSignificantBits() >>> 16) : createdAt;
        }
    }

    /**
     * What a selection comes to.
     *
     * @param candidates at most so many as were asked for
     * @param total how many there are, counted up to {@link #COUNTED}
     * @param now the database's clock; {@code null} if there are none
     */
    record Found(List<Candidate> candidates, long total, Instant now) {}

    /** Finds delivered events, without a lock: what is delivered stays so unless a person replays it. */
    Uni<Found> find(Selection selection, int atMost) {
        return rows(selection, atMost).map(rows -> {
            List<Candidate> candidates = new ArrayList<>(rows.size());
            long total = 0;
            Instant now = null;
            for (Row row : rows) {
                candidates.add(new Candidate(
                        new EventPlace(row.getShort("lane"), row.getLong("position"), row.getUUID("id")),
                        row.getString("aggregate_id"),
                        row.getOffsetDateTime("created_at").toInstant()));
                total = row.getLong("total");
                now = row.getOffsetDateTime("now").toInstant();
            }
            return new Found(candidates, total, now);
        });
    }

    private Uni<RowSet<Row>> rows(Selection selection, int atMost) {
        if (selection instanceof Selection.Ids ids) {
            return pool.preparedQuery(BY_IDS).execute(Tuple.of(ids.ids().toArray(UUID[]::new), (long) atMost));
        }
        if (selection instanceof Selection.Aggregate aggregate) {
            return pool.preparedQuery(BY_AGGREGATE)
                    .execute(Tuple.of(aggregate.aggregateId(), (long) atMost, (long) COUNTED));
        }
        Selection.Time time = (Selection.Time) selection;
        return pool.preparedQuery(BY_TIME)
                .execute(Tuple.of(time.from(), time.to(), time.topic(), time.type(), (long) atMost, (long) COUNTED));
    }

    /**
     * Puts events on hold as replays. To be called with their lanes locked.
     *
     * @param target what was named, for the audit
     * @return how many it became
     */
    Uni<Integer> replay(SqlConnection tx, List<Candidate> candidates, JsonObject target, Deed deed) {
        Short[] lanes = candidates.stream()
                .map(candidate -> (short) candidate.place().lane())
                .toArray(Short[]::new);
        Long[] positions = candidates.stream()
                .map(candidate -> candidate.place().position())
                .toArray(Long[]::new);
        return tx.preparedQuery(REPLAY)
                .execute(Tuple.of(lanes, positions, deed.who(), deed.why(), target))
                .map(rows -> rows.iterator().next().getInteger("events"));
    }
}
