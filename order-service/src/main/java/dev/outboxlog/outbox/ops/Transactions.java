package dev.outboxlog.outbox.ops;

import dev.outboxlog.outbox.HoldOrder;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.function.Function;

/** Runs a deed in a transaction in which no relay writes to the lanes that it concerns. */
@ApplicationScoped
class Transactions {

    // A plan for a table that was empty a moment ago must not compare all holds with each other: see RelayPoolCreator.
    private static final String INDEX_PROBES_ONLY = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off";

    private final Pool pool;

    Transactions(Pool pool) {
        this.pool = pool;
    }

    /**
     * Locks the lanes in their order, runs the statement, and puts the holds of the lanes in order.
     *
     * @param lanes which ones; none if no holds change
     * @return what the statement gave, after the commit
     */
    <T> Uni<T> inLanes(Collection<Integer> lanes, Function<SqlConnection, Uni<T>> statement) {
        if (lanes.isEmpty()) {
            return pool.withTransaction(statement);
        }
        return pool.withTransaction(tx -> tx.query(INDEX_PROBES_ONLY)
                .execute()
                .chain(() -> HoldOrder.lock(tx, lanes))
                .chain(() -> statement.apply(tx))
                .call(() -> HoldOrder.restore(tx, lanes)));
    }
}
