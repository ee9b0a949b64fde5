package dev.outboxlog.database;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;

/** The pool of HTTP requests. The relay has one of its own, so that neither starves the other. */
@Singleton
class RequestPoolCreator implements PgPoolCreator {

    private final DatabaseConfig config;

    RequestPoolCreator(DatabaseConfig config) {
        this.config = config;
    }

    @Override
    public Pool create(Input input) {
        return BoundedPool.create(
                input,
                "order-service",
                config.acquireTimeout(),
                config.maxWaiting(),
                config.statementTimeout(),
                config.lockTimeout());
    }
}
