package dev.outboxlog.outbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps the holds of each aggregate in order, whoever changes them. After every change: the first one is {@code retrying} or {@code
 * parked}, or {@code blocked} where a pause stops it; those behind it are {@code blocked} or {@code parked}.
 *
 * <p>Who changes holds locks their lanes first, changes them, and calls {@link #restore} at last, in one transaction but in statements of
 * their own: each statement then sees all that those before it in the lane have committed. Two changes in one lane cannot pass each
 * other, so no hold is left blocked by nothing.
 */
public final class HoldOrder {

    /** How many lanes there are. */
    public static final int LANES = Lanes.COUNT;

    private static final String LOCK = """
            SELECT l.lane
            FROM outbox_lane l
            WHERE l.lane = ANY($1)
            ORDER BY l.lane
            FOR NO KEY UPDATE
            """;

    // The first hold of each aggregate that has changed, and those of its holds that are about to be tried.
    // Aggregates are named by the place of one of their events, or are all those of whole lanes.
    //
    // Index probes only, whatever the planner believes of a table that is empty most of the time: LATERAL … LIMIT
    // to read, and row addresses, which nobody else can change while the lanes are locked, to write. A join would
    // become a comparison of every hold with every other.
    private static final String RESTORE = """
            WITH changed AS MATERIALIZED (
              SELECT e.lane, e.aggregate_id
              FROM unnest($1::smallint[], $2::bigint[]) AS c (lane, position)
              CROSS JOIN LATERAL (
                SELECT n.lane, n.aggregate_id FROM outbox_log n WHERE n.lane = c.lane AND n.position = c.position LIMIT 1
              ) e
              UNION
              SELECT h.lane, h.aggregate_id
              FROM outbox_hold h
              WHERE h.lane = ANY($3) AND h.state <> 'discarded'
            ), first AS MATERIALIZED (
              SELECT f.lane, f.position, f.aggregate_id, f.state, f.address,
                     EXISTS (SELECT FROM outbox_pause)
                     AND EXISTS (
                       SELECT
                       FROM outbox_pause p
                       WHERE p.scope = 'aggregate' AND p.target = f.aggregate_id
                         OR p.scope = 'topic' AND p.target = (
                           SELECT e.topic FROM outbox_log e WHERE e.lane = f.lane AND e.position = f.position)
                     ) AS paused
              FROM changed c
              CROSS JOIN LATERAL (
                SELECT h.lane, h.position, h.aggregate_id, h.state, h.ctid AS address
                FROM outbox_hold h
                WHERE h.lane = c.lane AND h.aggregate_id = c.aggregate_id AND h.state <> 'discarded'
                ORDER BY h.position
                LIMIT 1
              ) f
            ), freed AS (
              UPDATE outbox_hold h
              SET state = 'retrying', next_attempt_at = clock_timestamp()
              WHERE h.ctid = ANY(ARRAY(SELECT f.address FROM first f WHERE f.state = 'blocked' AND NOT f.paused))
            )
            UPDATE outbox_hold h
            SET state = 'blocked', next_attempt_at = NULL
            WHERE h.ctid = ANY(ARRAY(
              SELECT premature.address
              FROM first f
              CROSS JOIN LATERAL (
                SELECT r.ctid AS address
                FROM outbox_hold r
                WHERE r.lane = f.lane AND r.aggregate_id = f.aggregate_id AND r.state = 'retrying'
                  AND r.position >= f.position + CASE WHEN f.paused THEN 0 ELSE 1 END
                ORDER BY r.position
                LIMIT 10000
              ) premature))
            """;

    private HoldOrder() {}

    /** The lane of an aggregate. */
    public static int laneOf(String aggregateId) {
        return Lanes.of(aggregateId);
    }

    /** Lets no relay write to these lanes, nor claim them, until the transaction ends. In the order of lanes, so that nobody deadlocks. */
    public static Uni<Void> lock(SqlClient tx, Collection<Integer> lanes) {
        return tx.preparedQuery(LOCK)
                .execute(Tuple.of(Lanes.numbers(lanes.stream())))
                .replaceWithVoid();
    }

    /** Puts all holds of these lanes in order: for changes that concern many. */
    public static Uni<Void> restore(SqlClient tx, Collection<Integer> lanes) {
        return restore(tx, new Short[0], new Long[0], Lanes.numbers(lanes.stream()));
    }

    /** Puts the holds of those aggregates in order whose holds a claim has changed. */
    static Uni<Void> restoreAfter(SqlClient tx, List<LaneProgress> progress) {
        Stream.Builder<Integer> lanes = Stream.builder();
        Stream.Builder<Long> positions = Stream.builder();
        for (LaneProgress lane : progress) {
            Stream.concat(lane.holds().stream().map(Hold::position), lane.freed().stream())
                    .forEach(position -> {
                        lanes.add(lane.lane());
                        positions.add(position);
                    });
        }
        return restore(tx, Lanes.numbers(lanes.build()), positions.build().toArray(Long[]::new), new Short[0]);
    }

    private static Uni<Void> restore(SqlClient tx, Short[] lanes, Long[] positions, Short[] wholeLanes) {
        return tx.preparedQuery(RESTORE)
                .execute(Tuple.of(lanes, positions, wholeLanes))
                .replaceWithVoid();
    }
}
