package dev.outboxlog.inbox;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnectOptions;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Adds to the reactive pool what has no Quarkus setting: bounds on waiting for a connection, a lock, a statement, a byte. */
@Singleton
class DatabasePool implements PgPoolCreator {

    private final InboxConfig.Database bounds;

    DatabasePool(InboxConfig config) {
        this.bounds = config.database();
    }

    @Override
    public Pool create(Input input) {
        PoolOptions pool = input.poolOptions()
                .setMaxWaitQueueSize(bounds.maxWaiting())
                .setConnectionTimeout((int) bounds.acquireTimeout().toMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS);
        input.pgConnectOptionsList().forEach(this::bound);
        List<SqlConnectOptions> servers = List.copyOf(input.pgConnectOptionsList());
        return PgBuilder.pool()
                .with(pool)
                .connectingTo(servers)
                .using(input.vertx())
                .build();
    }

    private void bound(PgConnectOptions server) {
        server.addProperty(
                "statement_timeout", Long.toString(bounds.statementTimeout().toMillis()));
        server.addProperty("lock_timeout", Long.toString(bounds.lockTimeout().toMillis()));
        // A transaction that its client has forgotten must not keep its locks.
        server.addProperty(
                "idle_in_transaction_session_timeout",
                Long.toString(bounds.readIdleTimeout().toMillis()));
        server.setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
        server.setReadIdleTimeout((int) bounds.readIdleTimeout().toMillis());
        server.setConnectTimeout((int) bounds.acquireTimeout().toMillis());
        server.setTcpKeepAlive(true);
    }
}
