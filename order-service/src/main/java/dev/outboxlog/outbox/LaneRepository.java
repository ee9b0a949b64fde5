package dev.outboxlog.outbox;

import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The relay's SQL: claim and read, advance. All times are the database's.
 *
 * <p>A claim changes nothing but the lane's row, and every write after it names the claim's owner and epoch: a relay that was frozen past
 * its lease and wakes up finds that its writes change nothing.
 */
@ApplicationScoped
class LaneRepository {

    // MATERIALIZED, or FOR UPDATE … LIMIT may lock more rows than it returns. LATERAL … LIMIT 1 makes "has work" an
    // index probe for each lane; an EXISTS at the top level becomes a hash join over every partition. Oldest waiting
    // lane
    // first.
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
              SELECT l.lane, l.owner IS NOT NULL AS taken_over, due.position IS NOT NULL AS holds_due
              FROM outbox_lane l
              LEFT JOIN LATERAL (
                SELECT e.position
                FROM outbox_log e
                WHERE e.lane = l.lane AND e.position > l.cursor
                ORDER BY e.position
                LIMIT 1
              ) head ON true
              LEFT JOIN LATERAL (
                SELECT h.position
                FROM outbox_hold h
                WHERE h.lane = l.lane AND h.state = 'retrying' AND h.next_attempt_at <= clock_timestamp()
                ORDER BY h.next_attempt_at
                LIMIT 1
              ) due ON true
              WHERE (l.locked_until IS NULL OR l.locked_until < clock_timestamp())
                AND (head.position IS NOT NULL OR due.position IS NOT NULL)
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
              WHERE l.lane = r.lane
              RETURNING l.lane, l.epoch, l.cursor, r.taken_over, r.holds_due, l.claims_without_progress
            )
            SELECT c.lane, e.position, e.id, e.topic, e.type, e.aggregate_id, e.sequence,
                   to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
                   convert_to(e.payload::text, 'UTF8') AS payload, e.headers,
                   EXISTS (
                     SELECT FROM outbox_hold h
                     WHERE h.lane = e.lane AND h.aggregate_id = e.aggregate_id AND h.state <> 'discarded'
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
              END AS events
            ) fits
            LEFT JOIN LATERAL (
              SELECT n.lane, n.position, n.id, n.topic, n.type, n.aggregate_id, n.sequence, n.created_at, n.payload, n.headers
              FROM outbox_log n
              WHERE n.lane = c.lane AND n.position > c.cursor
              ORDER BY n.position
              LIMIT fits.events
            ) e ON true
            """;

    // Each aggregate whose first held event is due, with what waits behind that. A parked event is first in its
    // aggregate, too, and is
    // not due: nothing behind it moves.
    private static final String DUE_HOLDS = """
            SELECT h.lane, h.position, e.id, e.topic, e.type, e.aggregate_id, e.sequence,
                   to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
                   convert_to(e.payload::text, 'UTF8') AS payload, e.headers,
                   h.attempts
            FROM outbox_hold due
            JOIN outbox_hold h
              ON h.lane = due.lane AND h.aggregate_id = due.aggregate_id AND h.position >= due.position AND h.state IN ('retrying', 'blocked')
            JOIN outbox_log e ON e.lane = h.lane AND e.position = h.position
            WHERE due.lane = ANY($1) AND due.state = 'retrying' AND due.next_attempt_at <= clock_timestamp()
            ORDER BY h.lane, h.position
            LIMIT $2
            """;

    // Everything in one statement, so that it happens or does not: where the fence does not match, nothing is written
    // for the lane.
    private static final String ADVANCE = """
            WITH advanced AS (
              UPDATE outbox_lane l
              SET cursor = p.cursor,
                  owner = CASE WHEN p.release THEN NULL ELSE l.owner END,
                  locked_until = CASE WHEN p.release THEN NULL ELSE l.locked_until END,
                  claims_without_progress = 0,
                  careful_until = CASE WHEN l.careful_until > p.cursor THEN l.careful_until END
              FROM unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::boolean[]) AS p (lane, epoch, cursor, release)
              WHERE l.lane = p.lane AND l.epoch = p.epoch AND l.owner = $1
              RETURNING l.lane, l.epoch
            ), ledger AS (
              INSERT INTO outbox_delivery (lane, first_position, last_position, events, epoch, offsets)
              SELECT d.lane, d.first_position, d.last_position, d.events, a.epoch, d.offsets
              FROM unnest($6::smallint[], $7::bigint[], $8::bigint[], $9::integer[], $10::jsonb[])
                AS d (lane, first_position, last_position, events, offsets)
              JOIN advanced a ON a.lane = d.lane
            ), held AS (
              INSERT INTO outbox_hold (
                lane, position, event_id, aggregate_id, state, attempts, next_attempt_at, failure_class, last_error)
              SELECT h.lane, h.position, h.event_id, h.aggregate_id, h.state, h.attempts,
                     clock_timestamp() + h.next_attempt_ms * interval '1 millisecond', h.failure_class, h.last_error
              FROM unnest($11::smallint[], $12::bigint[], $13::uuid[], $14::text[], $15::text[], $16::integer[], $17::bigint[], $18::text[],
                          $19::text[])
                AS h (lane, position, event_id, aggregate_id, state, attempts, next_attempt_ms, failure_class, last_error)
              JOIN advanced a ON a.lane = h.lane
              ON CONFLICT (lane, position) DO UPDATE
              SET state = EXCLUDED.state,
                  attempts = EXCLUDED.attempts,
                  next_attempt_at = EXCLUDED.next_attempt_at,
                  failure_class = COALESCE(EXCLUDED.failure_class, outbox_hold.failure_class),
                  last_error = COALESCE(EXCLUDED.last_error, outbox_hold.last_error)
              WHERE outbox_hold.state <> 'discarded'
            ), freed AS (
              DELETE FROM outbox_hold h
              USING unnest($20::smallint[], $21::bigint[]) AS f (lane, position), advanced a
              WHERE h.lane = f.lane AND h.position = f.position AND a.lane = f.lane
            )
            SELECT a.lane FROM advanced a
            """;

    // After holds have changed: the first of an aggregate that is blocked by nothing any more may go.
    private static final String UNBLOCK = """
            UPDATE outbox_hold h
            SET state = 'retrying', next_attempt_at = clock_timestamp()
            WHERE h.lane = ANY($1) AND h.state = 'blocked'
              AND NOT EXISTS (
                SELECT FROM outbox_hold earlier
                WHERE earlier.lane = h.lane AND earlier.aggregate_id = h.aggregate_id AND earlier.position < h.position
                  AND earlier.state <> 'discarded')
            """;

    private final Pool pool;

    LaneRepository(@ReactiveDataSource("relay") Pool pool) {
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
                    Short[] due = shorts(claimed.values().stream()
                            .filter(ClaimedLane::holdsDue)
                            .map(ClaimedLane::lane));
                    long atMost = terms.careful() ? 1 : (long) terms.eventsPerLane() * due.length;
                    return due.length == 0
                            ? Uni.createFrom().item(claimed.values())
                            : addDueHolds(claimed, due, atMost);
                })
                .map(List::copyOf);
    }

    private Uni<Collection<ClaimedLane>> addDueHolds(Map<Integer, ClaimedLane> claimed, Short[] lanes, long atMost) {
        return pool.preparedQuery(DUE_HOLDS).execute(Tuple.of(lanes, atMost)).map(rows -> {
            for (var row : EventRows.bare(rows)) {
                claimed.get((int) row.getShort(0))
                        .dueHolds()
                        .add(EventRows.event(row, false, row.getInteger("attempts")));
            }
            return claimed.values();
        });
    }

    /**
     * Writes what claims have achieved: cursors, ledger, holds, and the release of the lanes.
     *
     * @param owner who claimed the lanes
     * @return the lanes for which it was written; a missing one was claimed by another relay since, and nothing was written for it
     */
    Uni<Set<Integer>> advance(String owner, List<LaneProgress> progress) {
        boolean holdsChange = progress.stream().anyMatch(LaneProgress::touchesHolds);
        if (!holdsChange) {
            return advance(pool, owner, progress);
        }
        return pool.withTransaction(tx -> advance(tx, owner, progress)
                .call(lanes -> tx.preparedQuery(UNBLOCK).execute(Tuple.of(shorts(lanes.stream())))));
    }

    private static Uni<Set<Integer>> advance(SqlClient client, String owner, List<LaneProgress> progress) {
        var deliveries = progress.stream()
                .flatMap(p -> p.deliveries().stream().map(d -> new InLane<>(p.lane(), d)))
                .toList();
        var holds = progress.stream().flatMap(p -> p.holds().stream()).toList();
        var freed = progress.stream()
                .flatMap(p -> p.freed().stream().map(position -> new InLane<>(p.lane(), position)))
                .toList();
        Tuple parameters = Tuple.from(new Object[] {
            owner,
            shorts(progress.stream().map(LaneProgress::lane)),
            array(progress, LaneProgress::epoch, Long[]::new),
            array(progress, LaneProgress::cursor, Long[]::new),
            array(progress, LaneProgress::release, Boolean[]::new),
            shorts(deliveries.stream().map(InLane::lane)),
            array(deliveries, d -> d.value().firstPosition(), Long[]::new),
            array(deliveries, d -> d.value().lastPosition(), Long[]::new),
            array(deliveries, d -> d.value().events(), Integer[]::new),
            array(deliveries, d -> json(d.value().offsets()), JsonObject[]::new),
            shorts(holds.stream().map(Hold::lane)),
            array(holds, Hold::position, Long[]::new),
            array(holds, Hold::eventId, java.util.UUID[]::new),
            array(holds, Hold::aggregateId, String[]::new),
            array(holds, hold -> hold.state().sql(), String[]::new),
            array(holds, Hold::attempts, Integer[]::new),
            array(
                    holds,
                    hold -> hold.nextAttempt() == null
                            ? null
                            : hold.nextAttempt().toMillis(),
                    Long[]::new),
            array(
                    holds,
                    hold -> hold.failureClass() == null
                            ? null
                            : hold.failureClass().tag(),
                    String[]::new),
            array(holds, Hold::error, String[]::new),
            shorts(freed.stream().map(InLane::lane)),
            array(freed, InLane::value, Long[]::new)
        });
        return client.preparedQuery(ADVANCE).execute(parameters).map(rows -> {
            Set<Integer> lanes = new HashSet<>();
            rows.forEach(row -> lanes.add(row.getInteger("lane")));
            return lanes;
        });
    }

    private record InLane<T>(int lane, T value) {}

    private static Short[] shorts(Stream<Integer> numbers) {
        return numbers.map(Integer::shortValue).toArray(Short[]::new);
    }

    private static <T, R> R[] array(
            List<T> list, Function<T, R> column, java.util.function.IntFunction<R[]> generator) {
        return list.stream().map(column).toArray(generator);
    }

    private static JsonObject json(Map<String, long[]> offsets) {
        JsonObject object = new JsonObject();
        offsets.forEach((partition, range) ->
                object.put(partition, new JsonArray().add(range[0]).add(range[1])));
        return object;
    }
}
