package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What people do to many parked events at once. To be called with all lanes locked. */
@ApplicationScoped
class ParkedEvents {

    // The same statement says what would happen and does it. Row addresses are safe: the lanes are locked.
    private static final String RETRY = """
            WITH chosen AS MATERIALIZED (
              SELECT h.ctid AS address, h.lane, h.position, h.aggregate_id
              FROM outbox_hold h
              CROSS JOIN LATERAL (
                SELECT n.topic FROM outbox_log n WHERE n.lane = h.lane AND n.position = h.position LIMIT 1
              ) e
              WHERE h.state = 'parked'
                AND ($1::text IS NULL OR e.topic = $1)
                AND ($2::text IS NULL OR h.failure_class = $2)
            ), retried AS (
              UPDATE outbox_hold h
              SET state = 'retrying', next_attempt_at = clock_timestamp()
              WHERE h.ctid = ANY(ARRAY(SELECT c.address FROM chosen c WHERE NOT $3))
              RETURNING h.lane, h.position
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'retry', $4, $5, $6, count(*), CASE WHEN count(*) = 0 THEN 'nothing to do: none is parked' ELSE 'retrying' END
              FROM retried
              HAVING NOT $3
              RETURNING action_id
            ), noted AS (
              INSERT INTO outbox_action_event (lane, position, action_id)
              SELECT r.lane, r.position, a.action_id FROM retried r CROSS JOIN audited a
            )
            SELECT (SELECT count(*)::integer FROM chosen) AS events,
                   (SELECT count(DISTINCT c.aggregate_id)::integer FROM chosen c) AS aggregates,
                   ARRAY(SELECT DISTINCT c.aggregate_id FROM chosen c ORDER BY c.aggregate_id LIMIT 100) AS first_aggregates
            """;

    /**
     * What was done, or would be.
     *
     * @param firstAggregates the first hundred
     */
    @Schema(name = "OutboxRetried")
    record Retried(boolean dryRun, boolean changed, int events, int aggregates, List<String> firstAggregates) {}

    /** Makes all parked events that the filter names be tried at once, those of an aggregate in order. */
    Uni<Retried> retry(SqlConnection tx, RetryOrder order) {
        JsonObject filter = new JsonObject();
        if (order.topic() != null) {
            filter.put("topic", order.topic());
        }
        if (order.failureClass() != null) {
            filter.put("failureClass", order.failureClass());
        }
        return tx.preparedQuery(RETRY)
                .execute(
                        Tuple.of(order.topic(), order.failureClass(), order.dryRun(), order.who(), order.why(), filter))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    int events = row.getInteger("events");
                    return new Retried(
                            order.dryRun(),
                            !order.dryRun() && events > 0,
                            events,
                            row.getInteger("aggregates"),
                            List.of(row.getArrayOfStrings("first_aggregates")));
                });
    }
}
