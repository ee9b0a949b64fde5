package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;

/** What people do to one event, or to all of one aggregate. To be called with the lane locked. */
@ApplicationScoped
class EventActions {

    private static final String RETRY = """
            WITH named AS (
              SELECT o.lane, o.position, o.aggregate_id, o.topic, o.status
              FROM outbox o
              WHERE o.lane = $1 AND o.position = $2
            ), judged AS (
              SELECT n.lane, n.position, n.status, first.event_id AS first_event_id, pause.scope, pause.target,
                     CASE
                       WHEN n.status NOT IN ('retrying', 'blocked', 'parked') THEN 'already'
                       WHEN first.position < n.position THEN 'behind'
                       WHEN pause.scope IS NOT NULL THEN 'paused'
                       ELSE 'done'
                     END AS verdict
              FROM named n
              LEFT JOIN LATERAL (
                SELECT h.position, h.event_id
                FROM outbox_hold h
                WHERE h.lane = n.lane AND h.aggregate_id = n.aggregate_id AND h.state <> 'discarded'
                ORDER BY h.position
                LIMIT 1
              ) first ON true
              LEFT JOIN LATERAL (
                SELECT p.scope, p.target
                FROM outbox_pause p
                WHERE p.scope = 'topic' AND p.target = n.topic OR p.scope = 'aggregate' AND p.target = n.aggregate_id
                LIMIT 1
              ) pause ON true
            ), retried AS (
              UPDATE outbox_hold h
              SET state = 'retrying', next_attempt_at = clock_timestamp()
              FROM judged j
              WHERE h.lane = j.lane AND h.position = j.position AND j.verdict = 'done'
              RETURNING h.position
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'retry', $3, $4, $5, (SELECT count(*) FROM retried),
                     CASE j.verdict
                       WHEN 'done' THEN 'retrying'
                       WHEN 'already' THEN 'nothing to do: ' || j.status
                       WHEN 'behind' THEN 'refused: earlier-event-on-hold'
                       ELSE 'refused: paused'
                     END
              FROM judged j
              RETURNING action_id
            ), noted AS (
              INSERT INTO outbox_action_event (lane, position, action_id)
              SELECT j.lane, j.position, a.action_id FROM judged j CROSS JOIN audited a
            )
            SELECT j.verdict, j.status, j.first_event_id::text, j.scope, j.target, 'retrying' AS outcome, 1 AS affected
            FROM judged j
            """;

    // A replay ends and leaves the event delivered, which it was before; everything else stays on hold for good.
    private static final String DISCARD = """
            WITH judged AS (
              SELECT o.lane, o.position, o.status, o.replay,
                     CASE WHEN o.status IN ('retrying', 'blocked', 'parked') THEN 'done' ELSE 'already' END AS verdict
              FROM outbox o
              WHERE o.lane = $1 AND o.position = $2
            ), ended AS (
              DELETE FROM outbox_hold h
              USING judged j
              WHERE h.lane = j.lane AND h.position = j.position AND j.verdict = 'done' AND j.replay
              RETURNING h.position
            ), discarded AS (
              UPDATE outbox_hold h
              SET state = 'discarded', next_attempt_at = NULL
              FROM judged j
              WHERE h.lane = j.lane AND h.position = j.position AND j.verdict = 'done' AND NOT j.replay
              RETURNING h.position
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'discard', $3, $4, $5, (SELECT count(*) FROM ended) + (SELECT count(*) FROM discarded),
                     CASE
                       WHEN j.verdict = 'already' THEN 'nothing to do: ' || j.status
                       WHEN j.replay THEN 'replay ended'
                       ELSE 'discarded'
                     END
              FROM judged j
              RETURNING action_id
            ), noted AS (
              INSERT INTO outbox_action_event (lane, position, action_id)
              SELECT j.lane, j.position, a.action_id FROM judged j CROSS JOIN audited a
            )
            SELECT j.verdict, j.status, NULL::text AS first_event_id, NULL::text AS scope, NULL::text AS target,
                   CASE WHEN j.replay THEN 'delivered' ELSE 'discarded' END AS outcome, 1 AS affected
            FROM judged j
            """;

    // All parked events become retrying; those that are not the first of their aggregate are then put in order.
    private static final String RETRY_AGGREGATE = """
            WITH first AS (
              SELECT h.lane, h.position, h.aggregate_id
              FROM outbox_hold h
              WHERE h.lane = $1 AND h.aggregate_id = $2 AND h.state <> 'discarded'
              ORDER BY h.position
              LIMIT 1
            ), judged AS (
              SELECT f.lane, f.aggregate_id, pause.scope, pause.target,
                     CASE WHEN pause.scope IS NOT NULL THEN 'paused' ELSE 'done' END AS verdict
              FROM first f
              JOIN outbox_log e ON e.lane = f.lane AND e.position = f.position
              LEFT JOIN LATERAL (
                SELECT p.scope, p.target
                FROM outbox_pause p
                WHERE p.scope = 'topic' AND p.target = e.topic OR p.scope = 'aggregate' AND p.target = e.aggregate_id
                LIMIT 1
              ) pause ON true
            ), retried AS (
              UPDATE outbox_hold h
              SET state = 'retrying', next_attempt_at = clock_timestamp()
              FROM judged j
              WHERE h.lane = j.lane AND h.aggregate_id = j.aggregate_id AND h.state IN ('parked', 'retrying') AND j.verdict = 'done'
              RETURNING h.lane, h.position
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'retry', $3, $4, $5, (SELECT count(*) FROM retried),
                     CASE j.verdict WHEN 'done' THEN 'retrying' ELSE 'refused: paused' END
              FROM judged j
              RETURNING action_id
            ), noted AS (
              INSERT INTO outbox_action_event (lane, position, action_id)
              SELECT r.lane, r.position, a.action_id FROM retried r CROSS JOIN audited a
            )
            SELECT j.verdict, NULL::text AS status, NULL::text AS first_event_id, j.scope, j.target, 'retrying' AS outcome,
                   (SELECT count(*)::integer FROM retried) AS affected
            FROM judged j
            """;

    /** Makes the first event on hold of its aggregate be tried at once. */
    Uni<Result> retry(SqlConnection tx, EventPlace place, Deed deed) {
        return act(tx, RETRY, place, deed);
    }

    /** Gives an event on hold up for good, or ends its replay. */
    Uni<Result> discard(SqlConnection tx, EventPlace place, Deed deed) {
        return act(tx, DISCARD, place, deed);
    }

    private static Uni<Result> act(SqlConnection tx, String statement, EventPlace place, Deed deed) {
        JsonObject target = new JsonObject().put("event", place.id().toString());
        return tx.preparedQuery(statement)
                .execute(Tuple.of((short) place.lane(), place.position(), deed.who(), deed.why(), target))
                .map(EventActions::result);
    }

    /** Makes what is parked of an aggregate be tried at once, in order. */
    Uni<Result> retryAggregate(SqlConnection tx, int lane, String aggregateId, Deed deed) {
        JsonObject target = new JsonObject().put("aggregate", aggregateId);
        return tx.preparedQuery(RETRY_AGGREGATE)
                .execute(Tuple.of((short) lane, aggregateId, deed.who(), deed.why(), target))
                .map(EventActions::result);
    }

    private static Result result(RowSet<Row> rows) {
        if (rows.size() == 0) {
            return new Result.Unknown();
        }
        Row row = rows.iterator().next();
        return switch (row.getString("verdict")) {
            case "done" -> new Result.Done(row.getString("outcome"), row.getInteger("affected"));
            case "behind" -> new Result.Behind(row.getString("first_event_id"));
            case "paused" -> new Result.Paused(row.getString("scope"), row.getString("target"));
            default -> new Result.Already(row.getString("status"));
        };
    }
}
