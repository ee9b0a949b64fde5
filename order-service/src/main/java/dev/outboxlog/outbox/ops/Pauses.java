package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;

/** The table {@code outbox_pause}. To be called with the pause's lanes locked. */
@ApplicationScoped
class Pauses {

    private static final String PAUSE = """
            WITH paused AS (
              INSERT INTO outbox_pause (scope, target, who, why)
              VALUES ($1, $2, $3, $4)
              ON CONFLICT (scope, target) DO NOTHING
              RETURNING scope
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'pause', $3, $4, $5, count(*), CASE WHEN count(*) = 0 THEN 'nothing to do: paused' ELSE 'paused' END
              FROM paused
            )
            SELECT count(*)::integer AS affected FROM paused
            """;

    private static final String RESUME = """
            WITH resumed AS (
              DELETE FROM outbox_pause p
              WHERE p.scope = $1 AND p.target = $2
              RETURNING p.scope
            ), audited AS (
              INSERT INTO outbox_action (action, who, why, target, affected, outcome)
              SELECT 'resume', $3, $4, $5, count(*), CASE WHEN count(*) = 0 THEN 'nothing to do: not paused' ELSE 'resumed' END
              FROM resumed
            )
            SELECT count(*)::integer AS affected FROM resumed
            """;

    Uni<Result> pause(SqlConnection tx, PauseOrder order) {
        return act(tx, PAUSE, order, "paused", "paused");
    }

    Uni<Result> resume(SqlConnection tx, PauseOrder order) {
        return act(tx, RESUME, order, "resumed", "not paused");
    }

    private static Uni<Result> act(SqlConnection tx, String statement, PauseOrder order, String done, String already) {
        JsonObject target = new JsonObject().put("scope", order.scope());
        if (order.target() != null) {
            target.put("target", order.target());
        }
        return tx.preparedQuery(statement)
                .execute(Tuple.of(order.scope(), order.storedTarget(), order.who(), order.why(), target))
                .map(rows -> {
                    int affected = rows.iterator().next().getInteger("affected");
                    return affected == 0 ? new Result.Already(already) : new Result.Done(done, affected);
                });
    }
}
