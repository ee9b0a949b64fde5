package dev.outboxlog.bench;

import io.debezium.connector.postgresql.Module;
import java.sql.Connection;
import java.sql.SQLException;
import org.apache.kafka.common.utils.AppInfoParser;

/** Notes which versions were measured. */
final class Versions {

    private Versions() {}

    static void note(Report report, Testbed testbed, boolean debezium) throws SQLException {
        try (Connection connection = testbed.connect(Databases.MAINTENANCE)) {
            report.version(
                    "PostgreSQL", Sql.texts(connection, "SHOW server_version").get(0));
            for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes", "wal_level"}) {
                report.version(
                        "PostgreSQL " + setting,
                        Sql.texts(connection, "SHOW " + setting).get(0));
            }
        }
        report.version("Kafka", AppInfoParser.getVersion());
        if (debezium) {
            report.version("Debezium", Module.version());
        }
    }
}
