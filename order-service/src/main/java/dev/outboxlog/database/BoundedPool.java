package dev.outboxlog.database;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Creates connection pools in which nothing waits without a bound. */
public final class BoundedPool {

    /** How much longer than the database's own time-out the client waits before it takes the connection for dead. */
    private static final Duration DEAD_CONNECTION_MARGIN = Duration.ofSeconds(5);

    private BoundedPool() {}

    /**
     * Creates the pool that Quarkus has configured, with bounds on top.
     *
     * @param input what Quarkus has configured
     * @param name the pool's name in metrics, and the application's in {@code pg_stat_activity}
     * @param acquireTimeout the longest wait for a connection
     * @param maxWaiting how many may wait for one
     * @param statementTimeout the longest that the database works on a statement
     * @param lockTimeout the longest that a statement waits for a lock
     */
    public static Pool create(
            PgPoolCreator.Input input,
            String name,
            Duration acquireTimeout,
            int maxWaiting,
            Duration statementTimeout,
            Duration lockTimeout) {
        for (PgConnectOptions options : input.pgConnectOptionsList()) {
            options.addProperty("application_name", name);
            options.addProperty("statement_timeout", Long.toString(statementTimeout.toMillis()));
            options.addProperty("lock_timeout", Long.toString(lockTimeout.toMillis()));
            // What a client leaves open when it vanishes between two statements.
            options.addProperty(
                    "idle_in_transaction_session_timeout",
                    Long.toString(statementTimeout.multipliedBy(2).toMillis()));
            // A connection whose other end is gone without a word would hold its request, and its place in the pool,
            // until TCP gives up.
            options.setReadIdleTimeout(
                    (int) statementTimeout.plus(DEAD_CONNECTION_MARGIN).toSeconds());
            options.setIdleTimeoutUnit(TimeUnit.SECONDS);
        }
        input.poolOptions()
                .setName(name)
                .setConnectionTimeout((int) acquireTimeout.toMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxWaitQueueSize(maxWaiting);
        return PgBuilder.pool()
                .with(input.poolOptions())
                .connectingTo(List.<SqlConnectOptions>copyOf(input.pgConnectOptionsList()))
                .using(input.vertx())
                .build();
    }
}
