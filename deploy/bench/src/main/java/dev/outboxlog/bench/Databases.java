package dev.outboxlog.bench;

import dev.outboxlog.local.LocalPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Fresh databases, so that no run finds what an earlier one has left. */
final class Databases {

    /** Where an administrator is while he creates and drops others. */
    static final String MAINTENANCE = LocalPostgres.USER;

    private static final List<String> MIGRATION_JVM =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private final Testbed testbed;
    private final Map<String, String> templates = new HashMap<>();
    private int count;

    Databases(Testbed testbed) {
        this.testbed = testbed;
    }

    /** A database without tables. */
    String empty() throws SQLException {
        return create("template0");
    }

    /**
     * A database as the service's own migrations leave it.
     *
     * @param service which of the packaged services
     * @param off the setting that keeps it from working meanwhile, with the value {@code false}
     */
    String migrated(String service, String off) throws Exception {
        String template = templates.get(service);
        if (template == null) {
            template = empty();
            Map<String, String> settings = testbed.serviceSettings(template);
            settings.put(off, "false");
            try (Service migrates = testbed.service(service, MIGRATION_JVM, settings)) {
                migrates.ready();
            }
            templates.put(service, template);
        }
        return create(template);
    }

    /** A database of order-service. */
    String orders() throws Exception {
        return migrated("order-service", "outbox.relay.enabled");
    }

    /** A database of shipping-consumer. */
    String shipping() throws Exception {
        return migrated("shipping-consumer", "inbox.enabled");
    }

    private String create(String template) throws SQLException {
        String name = "bench_" + ++count;
        try (Connection connection = testbed.connect(MAINTENANCE)) {
            Sql.execute(connection, "CREATE DATABASE " + name + " TEMPLATE " + template);
        }
        return name;
    }

    /** Drops a database with its replication slots and whoever is still connected. */
    void drop(String database) throws SQLException {
        try (Connection connection = testbed.connect(MAINTENANCE)) {
            Sql.execute(
                    connection,
                    "SELECT pg_terminate_backend(active_pid, 10000) FROM pg_replication_slots WHERE active AND database = '"
                            + database + "'",
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '" + database
                            + "'",
                    "DROP DATABASE " + database + " WITH (FORCE)",
                    // What the run has written goes to disk now and not during the next one.
                    "CHECKPOINT");
        }
    }
}
