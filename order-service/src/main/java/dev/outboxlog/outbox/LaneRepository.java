package dev.outboxlog.outbox;

import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
    // index probe for each
    // lane; an EXISTS at the top level becomes a hash join over every partition. Oldest waiting lane first. The first
    // hold is compared with the clock outside of its probe: inside, the probe would pass all holds that are not due.
    //
    // "held" is a scalar subquery, hence an index probe for each event whatever the planner believes: an EXISTS could
    // become a hash of all holds at every claim. Whether anything is paused at all is found out once.
    //
    // One statement claims and reads. The read's snapshot may be older than the row version that the claim locked; it
    // then misses events
    // behind those it returns, never one between them, because a lane's events become visible in the order of their
    // positions.
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
              ORDER BY LEAST(head.position, due.position)
              LIMIT $2
              FOR UPDATE OF l SKIP LOCKED
            ), claimed AS (
              UPDATE outbox_lane l
              SET owner = $1,
                  epoch = l.epoch + 1,
                  locked_until = clock_timestamp() + $3 * interval '1 millisecond',
                  claims_without_progress = l.claims_without_progress + 1
              FROM ready r
              WHERE l.lane = r.lane
              RETURNING l.lane, l.epoch, l.cursor, r.taken_over, r.holds_due
            )
            SELECT c.lane, e.position, e.id::text, e.topic, e.type, e.aggregate_id, e.sequence,
                   to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
                   convert_to(e.payload::text, 'UTF8') AS payload, e.headers,
                   c.epoch, c.cursor, c.taken_over, c.holds_due,
                   (
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
                   ) AS held
            FROM claimed c
            LEFT JOIN LATERAL (
              SELECT b.*
              FROM (
                SELECT n.*, sum(n.payload_bytes) OVER (ORDER BY n.position) - n.payload_bytes AS bytes_before
                FROM outbox_log n
                WHERE n.lane = c.lane AND n.position > c.cursor
                ORDER BY n.position
                LIMIT $4
              ) b
              WHERE b.bytes_before < $5
            ) e ON true
            """;

    // Each aggregate whose first held event is due, those that have waited longest first, with what waits behind it
    // up to the first that must not go: one that is parked or paused. Bounded for each lane as in CLAIM, so that
    // neither many holds nor large ones are more than fits into memory.
    private static final String DUE_HOLDS = """
            SELECT c.lane, b.position, b.id::text, b.topic, b.type, b.aggregate_id, b.sequence,
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

    // Everything in one statement, so that it happens or does not: where the fence does not match, nothing is written
    // for the lane. Lanes are locked in their order, as everybody does who locks several.
    //
    // An event at or before the cursor stays on hold only if it is still on hold (outbox_lane is read as it was
    // before this statement): a person may have ended its replay meanwhile.
    private static final String ADVANCE = """
            WITH mine AS MATERIALIZED (
              SELECT l.lane, p.cursor, p.release
              FROM unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::boolean[]) AS p (lane, epoch, cursor, release)
              JOIN outbox_lane l ON l.lane = p.lane
              WHERE l.epoch = p.epoch AND l.owner = $1
              ORDER BY l.lane
              FOR NO KEY UPDATE OF l
            ), advanced AS (
              UPDATE outbox_lane l
              SET cursor = m.cursor,
                  owner = CASE WHEN m.release THEN NULL ELSE l.owner END,
                  locked_until = CASE WHEN m.release THEN NULL ELSE l.locked_until END,
                  claims_without_progress = 0
              FROM mine m
              WHERE l.lane = m.lane
              RETURNING l.lane, l.epoch
            ), ledger AS (
              INSERT INTO outbox_delivery (lane, first_position, last_position, events, epoch, offsets, replay)
              SELECT d.lane, d.first_position, d.last_position, d.events, a.epoch, d.offsets,
                     d.first_position = d.last_position AND COALESCE((
                       SELECT h.replay FROM outbox_hold h WHERE h.lane = d.lane AND h.position = d.first_position
                     ), false)
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
              JOIN outbox_lane before ON before.lane = h.lane
              WHERE h.position > before.cursor
                OR (SELECT true FROM outbox_hold k WHERE k.lane = h.lane AND k.position = h.position)
              ON CONFLICT (lane, position) DO UPDATE
              SET state = EXCLUDED.state,
                  attempts = EXCLUDED.attempts,
                  next_attempt_at = EXCLUDED.next_attempt_at,
                  failure_class = COALESCE(EXCLUDED.failure_class, outbox_hold.failure_class),
                  last_error = COALESCE(EXCLUDED.last_error, outbox_hold.last_error)
              WHERE outbox_hold.state <> 'discarded'
            ), freed AS (
              DELETE FROM outbox_hold h
              WHERE h.ctid = ANY(ARRAY(
                SELECT (SELECT k.ctid FROM outbox_hold k WHERE k.lane = f.lane AND k.position = f.position)
                FROM unnest($20::smallint[], $21::bigint[]) AS f (lane, position)
                JOIN advanced a ON a.lane = f.lane))
            )
            SELECT a.lane FROM advanced a
            """;

    private final Pool pool;

    LaneRepository(@ReactiveDataSource("relay") Pool pool) {
        this.pool = pool;
    }

    /**
     * Takes up to so many lanes that have work and no live lease, and reads what is next in each.
     *
     * @param owner whose they become
     * @param lease for how long
     * @param lanes at most so many lanes
     * @param eventsPerLane at most so many events of each
     * @param bytesPerLane no further event of a lane once so many bytes of payload are reached
     * @return the claimed lanes in order of number; empty if there is nothing to do
     */
    Uni<List<ClaimedLane>> claim(String owner, Duration lease, int lanes, int eventsPerLane, long bytesPerLane) {
        return pool.preparedQuery(CLAIM)
                .execute(Tuple.from(
                        new Object[] {owner, (long) lanes, lease.toMillis(), (long) eventsPerLane, bytesPerLane}))
                .chain(rows -> {
                    Map<Integer, ClaimedLane> claimed = claimedLanes(rows);
                    Short[] due = shorts(claimed.values().stream()
                            .filter(ClaimedLane::holdsDue)
                            .map(ClaimedLane::lane));
                    return due.length == 0
                            ? Uni.createFrom().item(claimed.values())
                            : addDueHolds(claimed, due, eventsPerLane, bytesPerLane);
                })
                .map(List::copyOf);
    }

    private static Map<Integer, ClaimedLane> claimedLanes(RowSet<Row> rows) {
        Map<Integer, ClaimedLane> lanes = new TreeMap<>();
        ClaimedLane lane = null;
        for (Row row : rows) {
            int number = row.getShort(0);
            if (lane == null || lane.lane() != number) {
                lane = lanes.computeIfAbsent(number, first -> claimedLane(first, row));
            }
            if (row.getLong(1) != null) {
                lane.events().add(event(row, row.getBoolean("held"), 0));
            }
        }
        // A joined result has no order of its own. This one comes sorted in practice, which costs a sort next to
        // nothing.
        lanes.values().forEach(claimed -> claimed.events().sort(Comparator.comparingLong(StoredEvent::position)));
        return lanes;
    }

    private static ClaimedLane claimedLane(int number, Row row) {
        return new ClaimedLane(
                number,
                row.getLong("epoch"),
                row.getLong("cursor"),
                row.getBoolean("taken_over"),
                row.getBoolean("holds_due"),
                new ArrayList<>(),
                new ArrayList<>());
    }

    private Uni<Collection<ClaimedLane>> addDueHolds(
            Map<Integer, ClaimedLane> claimed, Short[] lanes, long eventsPerLane, long bytesPerLane) {
        return pool.preparedQuery(DUE_HOLDS)
                .execute(Tuple.of(lanes, eventsPerLane, bytesPerLane))
                .map(rows -> {
                    for (Row row : rows) {
                        claimed.get((int) row.getShort(0))
                                .dueHolds()
                                .add(event(row, false, row.getInteger("attempts")));
                    }
                    return claimed.values();
                });
    }

    // The first columns of both statements that read events. By number and not by name: this runs for every event.
    private static StoredEvent event(Row row, boolean held, int attempts) {
        JsonObject headers = (JsonObject) row.getValue(9);
        return new StoredEvent(
                row.getShort(0),
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6),
                row.getString(7),
                row.getBuffer(8).getBytes(),
                headers == null ? Map.of() : strings(headers),
                held,
                attempts);
    }

    private static Map<String, String> strings(JsonObject object) {
        Map<String, String> strings = new HashMap<>();
        object.forEach(entry -> strings.put(entry.getKey(), String.valueOf(entry.getValue())));
        return strings;
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
        // Locked first: what people have done to the holds meanwhile is seen by the statements after that.
        List<Integer> lanes = progress.stream().map(LaneProgress::lane).toList();
        return pool.withTransaction(tx -> HoldOrder.lock(tx, lanes)
                .chain(() -> advance(tx, owner, progress))
                .call(() -> HoldOrder.restoreAfter(tx, progress)));
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
