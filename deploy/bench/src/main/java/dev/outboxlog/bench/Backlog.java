package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.SQLException;

/** Inserts the events that wait for delivery. */
final class Backlog {

    private static final int EVENTS_PER_TRANSACTION = 10_000;

    /** Both tables and the view take the same columns. */
    private static final String INSERT = """
            INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
            SELECT gen_random_uuid(), ?, 'bench.event', 'bench', 'aggregate-' || mod(n, ?), n / ? + 1, %s
            FROM generate_series(?, ?) AS n
            """.formatted(Payloads.SQL);

    private Backlog() {}

    /** Inserts the whole workload, tidies up after that, and writes everything to disk, so that the measured time pays for none of it. */
    static void insert(Connection connection, Workload workload) throws SQLException {
        for (int from = 0; from < workload.events(); from += EVENTS_PER_TRANSACTION) {
            Sql.update(
                    connection,
                    INSERT,
                    workload.topic(),
                    workload.aggregates(),
                    workload.aggregates(),
                    from,
                    Math.min(from + EVENTS_PER_TRANSACTION, workload.events()) - 1);
        }
        Sql.execute(connection, "VACUUM ANALYZE", "CHECKPOINT");
    }
}
