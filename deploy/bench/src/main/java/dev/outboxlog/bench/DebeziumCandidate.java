package dev.outboxlog.bench;

import dev.outboxlog.local.LocalPostgres;
import java.net.URI;
import java.nio.file.Files;
import java.sql.Connection;
import java.util.List;

/**
 * {@link DebeziumRelay} on a table that is only appended to.
 *
 * @param lingerMillis of its producer: with a backlog it waits for company, for a low latency it does not
 */
record DebeziumCandidate(Testbed testbed, int lingerMillis) implements Candidate {

    private static final List<String> JVM = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    private static final String TABLE = """
            CREATE TABLE outbox (
              id             uuid        NOT NULL PRIMARY KEY,
              topic          text        NOT NULL,
              type           text        NOT NULL,
              aggregate_type text        NOT NULL,
              aggregate_id   text        NOT NULL,
              sequence       bigint      NOT NULL,
              payload        json        NOT NULL,
              created_at     timestamptz NOT NULL DEFAULT clock_timestamp()
            )
            """;

    @Override
    public String name() {
        return "debezium";
    }

    @Override
    public String prepare(Workload workload) throws Exception {
        String database = prepareEmpty();
        try (Connection connection = testbed.connect(database)) {
            Backlog.insert(connection, workload);
        }
        return database;
    }

    /** A database with table, publication and slot. The slot is first: what is inserted before it is never seen. */
    String prepareEmpty() throws Exception {
        String database = testbed.databases().empty();
        try (Connection connection = testbed.connect(database)) {
            Sql.execute(
                    connection,
                    TABLE,
                    "CREATE PUBLICATION " + DebeziumRelay.NAME + " FOR TABLE outbox",
                    "SELECT pg_create_logical_replication_slot('" + database + "', 'pgoutput')");
        }
        return database;
    }

    @Override
    public List<Child> start(String database, Workload workload) throws Exception {
        int port = URI.create(testbed.jdbcUrl(database).substring("jdbc:".length()))
                .getPort();
        return List.of(testbed.java(
                name(),
                JVM,
                DebeziumRelay.class,
                List.of(
                        testbed.bootstrapServers(),
                        workload.topic(),
                        Integer.toString(port),
                        database,
                        LocalPostgres.USER,
                        Files.createTempDirectory(testbed.directory(), "debezium-")
                                .resolve("offsets")
                                .toString(),
                        Integer.toString(lingerMillis))));
    }
}
