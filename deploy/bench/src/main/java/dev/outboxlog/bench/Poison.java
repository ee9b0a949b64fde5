package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;

/** Whether one aggregate whose first event can never be published slows the others down. */
final class Poison implements Measurement {

    private static final int BEHIND = 9;

    @Override
    public String name() {
        return "poison";
    }

    @Override
    public String question() {
        return "Are the events of all other aggregates delivered as fast beside one whose first event can never be published?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 100_000, "events of the backlog"),
                Setting.number("aggregates", 10_000, "they belong to so many aggregates, in turn"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            Candidate relay = new RelayCandidate(testbed, Jvms.of(arguments));
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (boolean poisoned : List.of(true, false)) {
                    Workload workload = new Workload(
                            "poison-%b-%d".formatted(poisoned, round),
                            arguments.number("events"),
                            arguments.number("aggregates"));
                    report.add(
                            Row.of(round, "poison", poisoned ? "one aggregate" : "none"),
                            () -> drainage.run(
                                            relay,
                                            workload,
                                            database ->
                                                    poisoned ? poison(testbed, database, workload.topic()) : () -> {})
                                    .columns());
                }
            }
        }
        report.compare("events/s", "poison", "none");
        report.note(
                "The first event of one more aggregate is larger than a producer sends. It comes before all others of its lane, with "
                        + BEHIND + " behind it; in the end it is parked and they are blocked, or the run fails.");
    }

    /** At positions below all others: through the view, an event would come last. */
    private static AutoCloseable poison(Testbed testbed, String database, String topic) throws Exception {
        Connection connection = testbed.connect(database);
        Sql.execute(connection, "UPDATE outbox_lane SET cursor = -100 WHERE lane = outbox_lane_of('poison')");
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO outbox_log (
                  lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, payload)
                SELECT outbox_lane_of('poison'), n - 50, n, clock_timestamp(), gen_random_uuid(), length(body), ?, 'bench.event', 'bench', 'poison',
                       body::json
                FROM generate_series(1, ?) AS n
                CROSS JOIN LATERAL (SELECT CASE n WHEN 1 THEN '"' || repeat('x', 2000000) || '"' ELSE '{}' END AS body) b
                """)) {
            insert.setString(1, topic);
            insert.setInt(2, 1 + BEHIND);
            insert.executeUpdate();
        }
        return () -> {
            try (connection) {
                double parked =
                        Sql.number(connection, "SELECT count(*) FROM outbox WHERE status = 'parked' AND sequence = 1");
                double blocked = Sql.number(connection, "SELECT count(*) FROM outbox WHERE status = 'blocked'");
                if (parked != 1 || blocked != BEHIND) {
                    throw new IllegalStateException(
                            "parked are %.0f and blocked %.0f, not 1 and %d".formatted(parked, blocked, BEHIND));
                }
            }
        };
    }
}
