package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Whether a session that holds an old snapshot, say a report or a backup, slows the delivery down. */
final class OldSnapshot implements Measurement {

    private static final List<String> BESIDE = List.of("nothing", "snapshot");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WARM_UP_SECONDS = 10;
    private static final int WINDOW_SECONDS = 60;

    @Override
    public String name() {
        return "snapshot";
    }

    @Override
    public String question() {
        return "Does a session that holds an old snapshot slow the delivery down, at once or with time?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 200_000, "events of the backlog that is drained"),
                Setting.number("rounds", 3, "it is drained so often, in turns"),
                Setting.number("rate", 1000, "events a second of the steady load"),
                Setting.number("seconds", 600, "how long the steady load goes on, after a warm-up"),
                Setting.someOf("beside", BESIDE, "what the steady load runs beside"),
                Setting.oneOf("way", List.of("polled", "placed"), "the steady load inserts with SQL, or places orders"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            Candidate relay = new RelayCandidate(testbed, Jvms.of(arguments));
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (String beside : BESIDE) {
                    Workload workload = new Workload(
                            "snapshot-%s-%d".formatted(beside, round), arguments.number("events"), Way.AGGREGATES);
                    report.add(Row.of(round, "load", "drain")
                            .and("beside", beside)
                            .with(drainage.run(relay, workload, database -> session(testbed, database, beside))
                                    .columns()));
                }
            }
            report.compare("events/s", "beside", "nothing");
            Way way = arguments.text("way").equals("placed")
                    ? Way.placed(testbed, Jvms.of(arguments))
                    : Way.polled(testbed, Jvms.of(arguments));
            for (String beside : arguments.texts("beside")) {
                steady(testbed, way, beside, arguments, report);
            }
        }
        report.note(
                "Steady: the first and the last minute (a third of the time where that is shorter), from the commit as PostgreSQL notes"
                        + " it to the receipt; dead rows at the end.");
    }

    /** A session that has looked once and may look again. */
    private static AutoCloseable session(Testbed testbed, String database, String beside) throws SQLException {
        if (beside.equals("nothing")) {
            return () -> {};
        }
        Connection connection = testbed.connect(database);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        Sql.number(connection, "SELECT count(*) FROM outbox_lane");
        return connection;
    }

    private static void steady(Testbed testbed, Way way, String beside, Arguments arguments, Report report)
            throws Exception {
        int rate = arguments.number("rate");
        int events = rate * (WARM_UP_SECONDS + arguments.number("seconds"));
        String topic = "snapshot-steady-" + beside;
        testbed.createTopic(topic);
        Way.Running running = way.start(topic);
        try (running;
                AutoCloseable session = session(testbed, running.database(), beside);
                Connection connection = testbed.connect(running.database());
                Receiver receiver =
                        new Receiver(testbed.bootstrapServers(), topic, events, PATIENCE, running.numberOf())) {
            CompletableFuture<Received> receiving = receiver.inBackground(running.children());
            OpenLoop.run(events, rate, running.connections(), running.load());
            Received received = receiving.get(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
            TimeUnit.SECONDS.sleep(2);
            Map<String, Double> dead = new LinkedHashMap<>();
            dead.put("dead in log", dead(connection, "outbox_log%"));
            dead.put("dead in lane", dead(connection, "outbox_lane"));
            dead.put("lane KiB", Sql.number(connection, "SELECT pg_relation_size('outbox_lane') / 1024"));
            long[] committed = Commits.of(connection, events);
            int window = Math.min(WINDOW_SECONDS, Math.max(1, arguments.number("seconds") / 3));
            int first = rate * WARM_UP_SECONDS;
            int length = rate * window;
            report.add(Row.of(1, "load", "steady, first")
                    .and("beside", beside)
                    .with(columns(received, committed, first, first + length)));
            report.add(Row.of(1, "load", "steady, last")
                    .and("beside", beside)
                    .with(columns(received, committed, events - length, events))
                    .with(dead));
        } finally {
            testbed.databases().drop(running.database());
            testbed.deleteTopic(topic);
        }
    }

    private static double dead(Connection connection, String tables) throws SQLException {
        return Sql.number(
                connection,
                "SELECT COALESCE(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE relname LIKE '" + tables + "'");
    }

    private static Map<String, Double> columns(Received received, long[] committed, int from, int to) {
        Delays delays = new Delays();
        for (int n = from; n < to; n++) {
            delays.add(received.arrivals()[n] - committed[n]);
        }
        long[] arrivals = Arrays.copyOfRange(received.arrivals(), from, to);
        Arrays.sort(arrivals);
        Map<String, Double> columns = new LinkedHashMap<>();
        columns.put("events/s", (arrivals.length - 1) * 1e6 / Math.max(1, arrivals[arrivals.length - 1] - arrivals[0]));
        columns.putAll(delays.columns());
        return columns;
    }
}
