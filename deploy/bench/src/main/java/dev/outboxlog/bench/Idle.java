package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What order-service costs while nothing happens. */
final class Idle implements Measurement {

    private static final long SETTLE_SECONDS = 10;

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String question() {
        return "What does an idle order-service ask of the database and of the processor?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("seconds", 60, "how long it is watched"),
                Setting.numbers("processes", "1,3", "so many replicas, one run for each"),
                Setting.number("rounds", 1, "each runs so often, in turns"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        int seconds = arguments.number("seconds");
        try (Testbed testbed = Testbed.start(Statements.SERVER_SETTINGS);
                Connection connection = testbed.connect(Databases.MAINTENANCE)) {
            Versions.note(report, testbed, false);
            Statements.reset(connection);
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (int processes : arguments.numbers("processes")) {
                    String database = testbed.databases().orders();
                    List<Child> children = new ArrayList<>();
                    for (int i = 0; i < processes; i++) {
                        children.add(
                                testbed.service("order-service", Jvms.of(arguments), testbed.serviceSettings(database))
                                        .ready()
                                        .child());
                    }
                    TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
                    double transactions = transactions(connection, database);
                    double calls = Statements.calls(connection, database);
                    Usage before = Usage.now(testbed, children);
                    TimeUnit.SECONDS.sleep(seconds);
                    Usage usage = Usage.now(testbed, children).since(before);
                    Map<String, Double> columns = new LinkedHashMap<>();
                    double all = (double) seconds * processes;
                    columns.put("statements/s", (Statements.calls(connection, database) - calls) / all);
                    columns.put("transactions/s", (transactions(connection, database) - transactions) / all);
                    columns.put("cpu %", usage.candidate() * 100 / all);
                    columns.put("pg cpu %", usage.postgres() * 100 / all);
                    columns.put("MiB", (double) children.stream()
                            .mapToLong(child -> Proc.peakMiB(child.pid()))
                            .max()
                            .orElse(0));
                    report.add(Row.of(round, "processes", processes).with(columns));
                    children.forEach(Child::close);
                    testbed.databases().drop(database);
                }
            }
        }
        report.note("All numbers but MiB are for each replica; per cent of one core.");
    }

    private static double transactions(Connection connection, String database) throws Exception {
        return Sql.number(
                connection,
                "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '" + database + "'");
    }
}
