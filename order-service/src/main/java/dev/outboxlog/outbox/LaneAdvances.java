package dev.outboxlog.outbox;

import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The SQL by which a relay writes what a claim has achieved, as far as the claim is still its own. */
@ApplicationScoped
class LaneAdvances {

    // Everything in one statement, so that it happens or does not: where the fence does not match, nothing is written
    // for the lane. Lanes are locked in their order, as everybody does who locks several.
    //
    // An event at or before the cursor stays on hold only if it is still on hold (outbox_lane is read as it was
    // before this statement): a person may have ended its replay meanwhile.
    private static final String ADVANCE = """
            WITH mine AS MATERIALIZED (
              SELECT l.lane, l.epoch, p.cursor, p.release
              FROM unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::boolean[]) AS p (lane, epoch, cursor, release)
              JOIN outbox_lane l ON l.lane = p.lane AND l.epoch = p.epoch
              WHERE l.owner = $1
              ORDER BY l.lane
              FOR NO KEY UPDATE OF l
            ), advanced AS (
              UPDATE outbox_lane l
              SET cursor = m.cursor,
                  owner = CASE WHEN m.release THEN NULL ELSE l.owner END,
                  locked_until = CASE WHEN m.release THEN NULL ELSE l.locked_until END,
                  claims_without_progress = 0,
                  careful_until = CASE WHEN l.careful_until > m.cursor THEN l.careful_until END
              FROM mine m
              WHERE l.lane = m.lane AND l.epoch = m.epoch
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
              JOIN outbox_lane before ON before.lane = a.lane AND before.epoch = a.epoch
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

    LaneAdvances(@ReactiveDataSource("relay") Pool pool) {
        this.pool = pool;
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
            Lanes.numbers(progress.stream().map(LaneProgress::lane)),
            array(progress, LaneProgress::epoch, Long[]::new),
            array(progress, LaneProgress::cursor, Long[]::new),
            array(progress, LaneProgress::release, Boolean[]::new),
            Lanes.numbers(deliveries.stream().map(InLane::lane)),
            array(deliveries, d -> d.value().firstPosition(), Long[]::new),
            array(deliveries, d -> d.value().lastPosition(), Long[]::new),
            array(deliveries, d -> d.value().events(), Integer[]::new),
            array(deliveries, d -> json(d.value().offsets()), JsonObject[]::new),
            Lanes.numbers(holds.stream().map(Hold::lane)),
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
            Lanes.numbers(freed.stream().map(InLane::lane)),
            array(freed, InLane::value, Long[]::new)
        });
        return client.preparedQuery(ADVANCE).execute(parameters).map(rows -> {
            Set<Integer> lanes = new HashSet<>();
            rows.forEach(row -> lanes.add(row.getInteger("lane")));
            return lanes;
        });
    }

    private record InLane<T>(int lane, T value) {}

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
