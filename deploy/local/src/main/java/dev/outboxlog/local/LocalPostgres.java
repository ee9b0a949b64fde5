package dev.outboxlog.local;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL 18 server of our own: real binaries, default durability, one superuser {@value #USER} without a password that
 * only the loopback interface can reach. Not for production.
 */
public final class LocalPostgres implements AutoCloseable {

    /** The superuser of the embedded server; connections from loopback are trusted, so it has no password. */
    public static final String USER = "postgres";

    /**
     * The library that unpacks PostgreSQL turns durability off for speed; a project about what survives a crash turns it on again.
     * Commit timestamps let a test see in which order transactions committed.
     */
    private static final Map<String, String> SERVER_SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "track_commit_timestamp", "on",
            "max_connections", "200",
            "shared_buffers", "256MB",
            "max_wal_size", "2GB");

    private final EmbeddedPostgres server;

    private LocalPostgres(EmbeddedPostgres server) {
        this.server = server;
    }

    /**
     * Starts a server and creates the databases that it lacks.
     *
     * @param dataDirectory where the cluster lives; what an earlier server left there is kept
     * @param port the port to listen on
     * @param databases the databases that must exist
     */
    public static LocalPostgres start(Path dataDirectory, int port, List<String> databases)
            throws IOException, SQLException {
        return start(dataDirectory, port, databases, Map.of());
    }

    /**
     * Starts a server with settings of its own.
     *
     * @param settings parameters of the server, which go before the ones that every embedded server has
     * @see #start(Path, int, List)
     */
    public static LocalPostgres start(
            Path dataDirectory, int port, List<String> databases, Map<String, String> settings)
            throws IOException, SQLException {
        var builder = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(dataDirectory)
                .setCleanDataDirectory(false)
                .setPGStartupWait(Duration.ofSeconds(60))
                // Shutdown hooks run side by side: the server's own would take the database away from services that
                // still finish.
                .setRegisterShutdownHook(false);
        SERVER_SETTINGS.forEach(builder::setServerConfig);
        settings.forEach(builder::setServerConfig);
        LocalPostgres postgres = new LocalPostgres(builder.start());
        try (Connection connection = postgres.connect(USER)) {
            for (String database : databases) {
                createDatabase(connection, database);
            }
        } catch (SQLException e) {
            postgres.close();
            throw e;
        }
        return postgres;
    }

    private static void createDatabase(Connection connection, String database) throws SQLException {
        try (PreparedStatement exists = connection.prepareStatement("SELECT 1 FROM pg_database WHERE datname = ?")) {
            exists.setString(1, database);
            try (ResultSet found = exists.executeQuery()) {
                if (found.next()) {
                    return;
                }
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + statement.enquoteIdentifier(database, true));
        }
    }

    /** A plain JDBC connection, as somebody with psql would have; the caller closes it. */
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), USER, null);
    }

    /** The URL for JDBC drivers. */
    public String jdbcUrl(String database) {
        return "jdbc:" + url(database);
    }

    /** The URL for the reactive client and for psql. */
    public String url(String database) {
        return "postgresql://127.0.0.1:" + server.getPort() + "/" + database;
    }

    /** What a Quarkus service has to be told to use the given database of this server. */
    public Map<String, String> serviceSettings(String database) {
        return Map.of(
                "quarkus.datasource.jdbc.url",
                jdbcUrl(database),
                "quarkus.datasource.reactive.url",
                url(database),
                "quarkus.datasource.username",
                USER,
                "quarkus.datasource.password",
                USER);
    }

    /** Stops the server as {@code pg_ctl stop -m fast} does: committed work is safe, open transactions are rolled back. */
    @Override
    public void close() throws IOException {
        server.close();
    }
}
