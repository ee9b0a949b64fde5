package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * When events were committed, as PostgreSQL notes it: on the same clock as everything here, and the same for orders over HTTP as for SQL. It
 * is taken before the commit is made durable, so what is measured from it has the disk in it.
 */
final class Commits {

    /** Both kinds of payload carry the number. */
    private static final String TIMES = """
            SELECT COALESCE(payload ->> 'n', substring(payload ->> 'customerId' FROM 7))::integer,
                   (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000000)::bigint
            FROM %s
            """;

    private Commits() {}

    /**
     * Microseconds of the wall clock, by the event's number.
     *
     * @param events how many there are
     */
    static long[] of(Connection connection, int events) throws SQLException {
        boolean ours = Sql.number(connection, "SELECT count(*) FROM pg_class WHERE relname = 'outbox_log'") > 0;
        long[] commits = new long[events];
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(10_000);
            try (ResultSet rows = statement.executeQuery(TIMES.formatted(ours ? "outbox_log" : "outbox"))) {
                while (rows.next()) {
                    commits[rows.getInt(1)] = rows.getLong(2);
                }
            }
        } finally {
            connection.setAutoCommit(true);
        }
        return commits;
    }
}
