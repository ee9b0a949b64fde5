package dev.outboxlog.outbox;

import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The SQL by which a relay takes lanes and reads what is next in them. All times are the database's.
 *
 * <p>A claim changes nothing but the lane's row, and every write after it ({@link LaneAdvances}) names the claim's owner and epoch: a relay that
 * was frozen past its lease and wakes up finds that its writes change nothing.
 */
@ApplicationScoped
class LaneClaims {

    // MATERIALIZED, or FOR UPDATE … LIMIT may lock more rows than it returns. LATERAL … LIMIT 1 makes "has work" an
    // index probe for each lane; an EXISTS at the top level becomes a hash join over every partition. Oldest waiting
    // lane
    // first. The first hold is compared with the clock outside of its probe: inside, the probe would pass all holds
    // that
    // are not due. The lanes come from outbox_lane_now, which finds each one's row by its epoch: see V5.
    //
    // "held" is a scalar subquery, hence an index probe for each event whatever the planner believes: an EXISTS could
    // become a hash of all holds at every claim. Only lanes that have holds pay for it, and whether anything is paused
    // at
    // all is found out once.
    //
    // One statement claims and reads. The read's snapshot may be older than the row version that the claim locked; it
    // then misses events behind those it returns, never one between them, because a lane's events become visible in the
    // order of their positions.
    //
    // Lanes whose claims do not come back are kept apart ($6): an ordinary claim leaves them alone, a careful one takes
    // nothing else, one event at a time, until it is past all that an ordinary claim would have held.
    //
    // How many events fit into the bytes is counted before anything is read: a running total over the rows themselves
    // would copy every payload once more. Nearly always all of them fit, which a plain sum tells for less.
    private static final String CLAIM = """
            WITH ready AS MATERIALIZED (
              SELECT l.lane, l.epoch, l.owner IS NOT NULL AS taken_over, due.position IS NOT NULL AS holds_due
              FROM outbox_lane_now newest
              JOIN outbox_lane l ON l.ctid = newest.address AND l.epoch = newest.epoch
              LEFT JOIN LATERAL (
                SELECT e.position
                FROM outbox_log e
                WHERE e.lane = l.lane AND e.position > l.cursor
                ORDER BY e.position
                LIMIT 1
              ) head ON true
              LEFT JOIN LATERAL (
                SELECT h.position, h.next_attempt_at
                FROM outbox_hold h
                WHERE h.lane = l.lane AND h.state = 'retrying'
                ORDER BY h.next_attempt_at
                LIMIT 1
              ) due ON due.next_attempt_at <= clock_timestamp()
              WHERE (l.locked_until IS NULL OR l.locked_until < clock_timestamp())
                AND (head.position IS NOT NULL OR due.position IS NOT NULL)
                AND NOT EXISTS (
                  SELECT FROM outbox_pause p WHERE p.scope = 'all' OR p.scope = 'lane' AND p.target = l.lane::text)
                AND (l.claims_without_progress >= $7 OR l.careful_until IS NOT NULL) = $6
              ORDER BY LEAST(head.position, due.position)
              LIMIT $2
              FOR UPDATE OF l SKIP LOCKED
            ), claimed AS (
              UPDATE outbox_lane l
              SET owner = $1,
                  epoch = l.epoch + 1,
                  locked_until = clock_timestamp() + $3 * interval '1 millisecond',
                  claims_without_progress = l.claims_without_progress + 1,
                  careful_until = CASE WHEN $6 THEN COALESCE(l.careful_until, (
                    SELECT max(batch.position)
                    FROM (
                      SELECT e.position FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT $4
                    ) batch)) END
              FROM ready r
              WHERE l.lane = r.lane AND l.epoch = r.epoch
              RETURNING l.lane, l.epoch, l.cursor, r.taken_over, r.holds_due, l.claims_without_progress
            )
            SELECT c.lane, e.position, e.id, e.topic, e.type, e.aggregate_id, e.sequence,
                   to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
                   convert_to(e.payload::text, 'UTF8') AS payload, e.headers,
                   fits.has_holds
                   AND (
                     SELECT true
                     FROM outbox_hold h
                     WHERE h.lane = e.lane AND h.aggregate_id = e.aggregate_id AND h.state <> 'discarded'
                     LIMIT 1
                   ) IS NOT NULL
                   OR EXISTS (SELECT FROM outbox_pause)
                   AND EXISTS (
                     SELECT
                     FROM outbox_pause p
                     WHERE p.scope = 'topic' AND p.target = e.topic OR p.scope = 'aggregate' AND p.target = e.aggregate_id
                   ) AS held,
                   c.epoch, c.cursor, c.taken_over, c.holds_due, c.claims_without_progress
            FROM claimed c
            CROSS JOIN LATERAL (
              SELECT CASE
                WHEN $6 AND c.holds_due THEN 0
                WHEN $6 THEN 1
                WHEN (
                  SELECT sum(n.payload_bytes)
                  FROM (
                    SELECT n.payload_bytes FROM outbox_log n WHERE n.lane = c.lane AND n.position > c.cursor ORDER BY n.position LIMIT $4
                  ) n
                ) <= $5 THEN $4
                ELSE (
                  SELECT count(*)
                  FROM (
                    SELECT sum(n.payload_bytes) OVER (ORDER BY n.position ROWS UNBOUNDED PRECEDING) - n.payload_bytes AS bytes_before
                    FROM outbox_log n
                    WHERE n.lane = c.lane AND n.position > c.cursor
                    ORDER BY n.position
                    LIMIT $4
                  ) b
                  WHERE b.bytes_before < $5)
              END AS events,
              EXISTS (SELECT FROM outbox_hold a WHERE a.lane = c.lane AND a.state <> 'discarded') AS has_holds
            ) fits
            LEFT JOIN LATERAL (
              SELECT n.lane, n.position, n.id, n.topic, n.type, n.aggregate_id, n.sequence, n.created_at, n.payload, n.headers
              FROM outbox_log n
              WHERE n.lane = c.lane AND n.position > c.cursor
              ORDER BY n.position
              LIMIT fits.events
            ) e ON true
            """;

    // Each aggregate whose first held event is due, those that have waited longest first, with what waits behind it
    // up to the first that must not go: one that is parked or paused. Bounded for each lane as in CLAIM, so that
    // neither many holds nor large ones are more than fits into memory.
    private static final String DUE_HOLDS = """
            SELECT c.lane, b.position, b.id, b.topic, b.type, b.aggregate_id, b.sequence,
                   to_char(b.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
                   convert_to(b.payload::text, 'UTF8') AS payload, b.headers,
                   b.attempts
            FROM unnest($1::smallint[]) AS c (lane)
            CROSS JOIN LATERAL (
              SELECT n.*,
                     sum(n.payload_bytes) OVER (ORDER BY n.next_attempt_at, n.first_position, n.position) - n.payload_bytes AS bytes_before
              FROM (
                SELECT line.*, due.next_attempt_at, due.position AS first_position
                FROM (
                  SELECT d.aggregate_id, d.position, d.next_attempt_at
                  FROM outbox_hold d
                  WHERE d.lane = c.lane AND d.state = 'retrying'
                  ORDER BY d.next_attempt_at
                  LIMIT $2
                ) due
                CROSS JOIN LATERAL (
                  SELECT e.position, e.id, e.topic, e.type, e.aggregate_id, e.sequence, e.created_at, e.payload_bytes, e.payload, e.headers,
                         h.attempts,
                         bool_or(h.state = 'parked' OR EXISTS (SELECT FROM outbox_pause) AND EXISTS (
                           SELECT
                           FROM outbox_pause p
                           WHERE p.scope = 'topic' AND p.target = e.topic OR p.scope = 'aggregate' AND p.target = e.aggregate_id
                         )) OVER (ORDER BY h.position) AS stopped
                  FROM (
                    SELECT f.position, f.state, f.attempts
                    FROM outbox_hold f
                    WHERE f.lane = c.lane AND f.aggregate_id = due.aggregate_id AND f.position >= due.position AND f.state <> 'discarded'
                    ORDER BY f.position
                    LIMIT $2
                  ) h
                  JOIN outbox_log e ON e.lane = c.lane AND e.position = h.position
                ) line
                WHERE due.next_attempt_at <= clock_timestamp() AND NOT line.stopped
                ORDER BY due.next_attempt_at, due.position, line.position
                LIMIT $2
              ) n
            ) b
            WHERE b.bytes_before < $3
            ORDER BY c.lane, b.position
            """;

    private static final String SUSPECTS = """
            SELECT EXISTS (SELECT FROM outbox_lane_now l WHERE l.claims_without_progress >= $1 OR l.careful_until IS NOT NULL)
            """;

    private final Pool pool;

    LaneClaims(@ReactiveDataSource("relay") Pool pool) {
        this.pool = pool;
    }

    /**
     * What to take with one claim.
     *
     * @param lease for how long
     * @param lanes at most so many lanes
     * @param eventsPerLane at most so many events of each
     * @param bytesPerLane no further event of a lane once so many bytes of payload are reached
     * @param suspectAfter lanes of which so many claims in a row did not come back are left to careful claims
     * @param careful whether just one event of one such lane is taken instead
     */
    record Terms(Duration lease, int lanes, int eventsPerLane, long bytesPerLane, int suspectAfter, boolean careful) {}

    /**
     * Takes lanes that have work and no live lease, and reads what is next in each.
     *
     * @param owner whose they become
     * @return the claimed lanes; empty if there is nothing to do
     */
    Uni<List<ClaimedLane>> claim(String owner, Terms terms) {
        return pool.preparedQuery(CLAIM)
                .execute(Tuple.from(new Object[] {
                    owner,
                    terms.careful() ? 1L : terms.lanes(),
                    terms.lease().toMillis(),
                    (long) terms.eventsPerLane(),
                    terms.bytesPerLane(),
                    terms.careful(),
                    terms.suspectAfter()
                }))
                .chain(rows -> {
                    Map<Integer, ClaimedLane> claimed = EventRows.claimedLanes(rows);
                    Short[] due = Lanes.numbers(claimed.values().stream()
                            .filter(ClaimedLane::holdsDue)
                            .map(ClaimedLane::lane));
                    long perLane = terms.careful() ? 1 : terms.eventsPerLane();
                    return due.length == 0
                            ? Uni.createFrom().item(claimed.values())
                            : addDueHolds(claimed, due, perLane, terms.bytesPerLane());
                })
                .map(List::copyOf);
    }

    /**
     * Whether there is a lane that is left to careful claims, free or not.
     *
     * @param suspectAfter as in {@link Terms}
     */
    Uni<Boolean> seesSuspects(int suspectAfter) {
        return pool.preparedQuery(SUSPECTS)
                .execute(Tuple.of(suspectAfter))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    private Uni<Collection<ClaimedLane>> addDueHolds(
            Map<Integer, ClaimedLane> claimed, Short[] lanes, long eventsPerLane, long bytesPerLane) {
        return pool.preparedQuery(DUE_HOLDS)
                .execute(Tuple.of(lanes, eventsPerLane, bytesPerLane))
                .map(rows -> {
                    for (var row : EventRows.bare(rows)) {
                        claimed.get((int) row.getShort(0))
                                .dueHolds()
                                .add(EventRows.event(row, false, row.getInteger("attempts")));
                    }
                    return claimed.values();
                });
    }
}
