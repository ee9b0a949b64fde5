package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What PostgreSQL itself counts about the relay's statements. Finds them by words that only they have. */
final class Statements {

    /** What the server has to be started with. */
    static final Map<String, String> SERVER_SETTINGS = Map.of(
            "shared_preload_libraries", "pg_stat_statements",
            // Or the text of a running statement is cut.
            "track_activity_query_size", "32768");

    private static final String CLAIM = "%FOR UPDATE OF l SKIP LOCKED%";
    private static final String ADVANCE = "%INSERT INTO outbox_delivery%";

    private Statements() {}

    static void reset(Connection connection) throws SQLException {
        Sql.execute(
                connection, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements", "SELECT pg_stat_statements_reset()");
    }

    /** Time and pages of one claim, with its read, and of one advance, as columns of a report. */
    static Map<String, Double> columns(Connection connection) throws SQLException {
        Map<String, Double> columns = new LinkedHashMap<>();
        for (Map.Entry<String, String> statement : List.of(Map.entry("claim", CLAIM), Map.entry("advance", ADVANCE))) {
            try (Statement sql = connection.createStatement();
                    ResultSet row = sql.executeQuery("""
                            SELECT sum(calls), sum(total_exec_time) / sum(calls), sum(shared_blks_hit + shared_blks_read) / sum(calls)
                            FROM pg_stat_statements
                            WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE '%s'
                            """.formatted(statement.getValue()))) {
                row.next();
                columns.put(statement.getKey() + "s", row.getDouble(1));
                columns.put(statement.getKey() + " ms", row.getDouble(2));
                columns.put(statement.getKey() + " pages", row.getDouble(3));
            }
        }
        return columns;
    }

    /** How often anything was run in a database. */
    static double calls(Connection connection, String database) throws SQLException {
        return Sql.number(connection, """
                SELECT COALESCE(sum(calls), 0)
                FROM pg_stat_statements
                WHERE dbid = (SELECT oid FROM pg_database WHERE datname = '%s')
                """.formatted(database));
    }

    /** The claim as the relay that runs now sends it, parameters and all; none if it cannot be seen. */
    static List<String> claim(Connection connection) throws SQLException {
        return Sql.texts(connection, """
                SELECT query
                FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%s'
                LIMIT 1
                """.formatted(CLAIM));
    }

    /** The plan of a claim of 32 lanes and 125 events of each, carried out and taken back. */
    static String plan(Connection connection, String claim) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE claim (text, bigint, bigint, bigint, bigint, boolean, integer) AS " + claim);
            return String.join(
                    "\n",
                    Sql.texts(
                            connection,
                            "EXPLAIN (ANALYZE, BUFFERS) EXECUTE claim('bench', 32, 60000, 125, 1048576, false, 2)"));
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
