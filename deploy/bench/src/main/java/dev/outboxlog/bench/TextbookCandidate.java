package dev.outboxlog.bench;

import dev.outboxlog.local.LocalPostgres;
import java.sql.Connection;
import java.util.List;

/** {@link TextbookRelay} on the table of most articles: a status on every row, and an index on what is not delivered. */
record TextbookCandidate(Testbed testbed) implements Candidate {

    /** So many times slower that nobody wants to wait for all of it. */
    private static final int FEWER = 50;

    private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC");

    @Override
    public String name() {
        return "textbook";
    }

    @Override
    public int events(int asked) {
        return Math.max(1, asked / FEWER);
    }

    @Override
    public String prepare(Workload workload) throws Exception {
        String database = testbed.databases().empty();
        try (Connection connection = testbed.connect(database)) {
            Sql.execute(
                    connection,
                    """
                    CREATE TABLE outbox (
                      position       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
                      id             uuid        NOT NULL PRIMARY KEY,
                      topic          text        NOT NULL,
                      type           text        NOT NULL,
                      aggregate_type text        NOT NULL,
                      aggregate_id   text        NOT NULL,
                      sequence       bigint      NOT NULL,
                      payload        json        NOT NULL,
                      created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
                      status         text        NOT NULL DEFAULT 'pending',
                      locked_until   timestamptz,
                      attempts       integer     NOT NULL DEFAULT 0,
                      delivered_at   timestamptz
                    )
                    """,
                    "CREATE INDEX outbox_open ON outbox (position) WHERE status IN ('pending', 'processing')");
            Backlog.insert(connection, workload);
        }
        return database;
    }

    @Override
    public List<Child> start(String database, Workload workload) throws Exception {
        return List.of(testbed.java(
                name(),
                JVM,
                TextbookRelay.class,
                List.of(testbed.bootstrapServers(), workload.topic(), testbed.jdbcUrl(database), LocalPostgres.USER)));
    }
}
