package dev.outboxlog.outbox;

import dev.outboxlog.database.BoundedPool;
import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;

/** The relay's own pool: requests cannot take its connections, nor it theirs. */
@Singleton
@ReactiveDataSource("relay")
class RelayPoolCreator implements PgPoolCreator {

    private final OutboxConfig config;

    RelayPoolCreator(OutboxConfig config) {
        this.config = config;
    }

    @Override
    public Pool create(Input input) {
        // All that the relay reads has an index. Without this, a plan that was made while outbox_hold was empty
        // reads the whole table for each event, until the statistics say that it has grown. The tables without a
        // useful index, the lanes' for one, then look so expensive that older servers would compile each statement:
        // hence no JIT.
        input.pgConnectOptionsList()
                .forEach(options -> options.addProperty("enable_seqscan", "off")
                        .addProperty("jit", "off")
                        // A claim takes five milliseconds to plan, and its parameters change nothing about its plan.
                        .addProperty("plan_cache_mode", "force_generic_plan"));
        return BoundedPool.create(
                input,
                "order-service relay",
                config.statementTimeout(),
                config.relay().workers() * 2,
                config.statementTimeout(),
                config.statementTimeout());
    }
}
