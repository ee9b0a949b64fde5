package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Whether what was delivered long ago makes the delivery of new events slower. */
final class Delivered implements Measurement {

    private static final String SIZES = """
            SELECT COALESCE(sum(pg_relation_size(i.indexrelid)), 0) / 1048576
            FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
            WHERE t.relname LIKE 'outbox_log%' AND t.relkind = 'r'
            """;

    private static final int PLAN_EVENTS = 10_000;

    @Override
    public String name() {
        return "delivered";
    }

    @Override
    public String question() {
        return "What do a claim and an advance cost with millions of delivered events in the log, and with none?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("delivered", 10_000_000, "delivered events in the log"),
                Setting.number("events", 50_000, "events of the backlog that is drained in both"),
                Setting.number("aggregates", 1000, "they belong to so many aggregates, in turn"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        try (Testbed testbed = Testbed.start(Statements.SERVER_SETTINGS)) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            Map<String, String> databases = new LinkedHashMap<>();
            databases.put("0", testbed.databases().orders());
            databases.put(arguments.text("delivered"), testbed.databases().orders());
            try (Connection full = testbed.connect(databases.get(arguments.text("delivered")))) {
                DeliveredLog.fill(full, arguments.number("delivered"));
            }
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (Map.Entry<String, String> database : databases.entrySet()) {
                    Workload workload = new Workload(
                            "delivered-%s-%d".formatted(database.getKey(), round),
                            arguments.number("events"),
                            arguments.number("aggregates"));
                    report.add(Row.of(round, "delivered", database.getKey())
                            .with(drained(testbed, drainage, database.getValue(), workload, Jvms.of(arguments))));
                }
            }
            for (Map.Entry<String, String> database : databases.entrySet()) {
                report.note("\nthe claim's plan with " + database.getKey() + " delivered events:\n"
                        + plan(testbed, database.getValue(), Jvms.of(arguments)));
            }
        }
        report.compare("claim ms", "delivered", "0");
        report.note(
                "Times and pages are those that pg_stat_statements has counted while the packaged service drained the backlog; a claim"
                        + " reads its events, too. 'of 0' compares the time of a claim.");
    }

    private static Map<String, Double> drained(
            Testbed testbed, Drainage drainage, String database, Workload workload, List<String> jvm) throws Exception {
        testbed.createTopic(workload.topic());
        try (Connection connection = testbed.connect(database)) {
            Backlog.insert(connection, workload);
            Statements.reset(connection);
            Drainage.Outcome outcome = drainage.drain(new RelayCandidate(testbed, jvm), workload, database);
            Map<String, Double> columns = new LinkedHashMap<>(Statements.columns(connection));
            columns.put("index MiB", Sql.number(connection, SIZES));
            columns.putAll(outcome.columns());
            return columns;
        } finally {
            testbed.deleteTopic(workload.topic());
        }
    }

    /** The statement is taken from the running service, so it is the one that is really used; then it is explained without the service. */
    private static String plan(Testbed testbed, String database, List<String> jvm) throws Exception {
        try (Connection connection = testbed.connect(database)) {
            List<String> claim;
            try (Service service = testbed.service("order-service", jvm, testbed.serviceSettings(database))) {
                service.ready();
                claim = awaitClaim(connection);
            }
            if (claim.isEmpty()) {
                return "not available: no claim was seen in pg_stat_activity";
            }
            Backlog.insert(connection, new Workload("plan", PLAN_EVENTS, PLAN_EVENTS));
            try {
                return Statements.plan(connection, claim.get(0));
            } catch (SQLException e) {
                return "not available: " + e.getMessage();
            }
        }
    }

    private static List<String> awaitClaim(Connection connection) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        List<String> claim = Statements.claim(connection);
        while (claim.isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(20);
            claim = Statements.claim(connection);
        }
        return claim;
    }
}
