package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What it costs a writer that the outbox is a log: its trigger and its lock, against a plain table. */
final class WritePath implements Measurement {

    /** What the view is replaced by: the same columns, an identity for the position, and nothing that a plain table would not have. */
    private static final String[] PLAIN = {"DROP VIEW outbox", """
            CREATE TABLE outbox (
              position       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
              sequence       bigint      NOT NULL,
              created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
              id             uuid        NOT NULL PRIMARY KEY,
              topic          text        NOT NULL,
              type           text        NOT NULL,
              aggregate_type text        NOT NULL,
              aggregate_id   text        NOT NULL,
              headers        jsonb,
              payload        json        NOT NULL
            )
            """};

    private static final int HTTP_WARM_UP_SECONDS = 10;

    @Override
    public String name() {
        return "write";
    }

    @Override
    public String question() {
        return "How many orders a second, each with its event: into the log, and into a plain table without trigger and lock?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.numbers("clients", "1,8,32,64", "so many clients at the same time, one run for each"),
                Setting.number("seconds", 8, "how long each run is measured"),
                Setting.number("warmup", 2, "seconds before that, which do not count"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Setting.someOf("how", List.of("sql", "http"), "with SQL, or with POST /orders at the packaged service"),
                Jvms.SETTING);
    }

    /** Where orders are written to, and how. */
    private record Target(String how, String into, String database, Callable<? extends ClosedLoop.Client> newClient) {}

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            testbed.createTopic("orders");
            List<Target> targets = new ArrayList<>();
            if (arguments.texts("how").contains("sql")) {
                targets.add(sql(testbed, "log"));
                targets.add(sql(testbed, "plain"));
            }
            if (arguments.texts("how").contains("http")) {
                targets.add(http(testbed, "log", false, arguments));
                targets.add(http(testbed, "plain", false, arguments));
                targets.add(http(testbed, "log+relay", true, arguments));
            }
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (int clients : arguments.numbers("clients")) {
                    for (Target target : targets) {
                        report.add(
                                Row.of(round, "how", target.how())
                                        .and("into", target.into())
                                        .and("clients", clients),
                                () -> measured(testbed, target, clients, arguments));
                    }
                }
            }
        }
        report.compare("orders/s", "into", "plain");
        report.note(
                "log: the view with its trigger, its lock and two indexes; plain: a table with the same columns and an index on the id."
                        + " The relay is off, except in log+relay.");
    }

    private static Target sql(Testbed testbed, String into) throws Exception {
        String database = database(testbed, into);
        return new Target("sql", into, database, () -> new OrderWriter(testbed.connect(database)));
    }

    private static Target http(Testbed testbed, String into, boolean relay, Arguments arguments) throws Exception {
        String database = database(testbed, into);
        Map<String, String> settings = testbed.serviceSettings(database);
        settings.put("outbox.relay.enabled", Boolean.toString(relay));
        Service service =
                testbed.service("order-service", Jvms.of(arguments), settings).ready();
        Target target = new Target("http", into, database, () -> new HttpClientOf(new HttpConnection(service.port())));
        ClosedLoop.run(8, 0, HTTP_WARM_UP_SECONDS, target.newClient());
        return target;
    }

    private record HttpClientOf(HttpConnection connection) implements ClosedLoop.Client {
        @Override
        public void run() throws Exception {
            Orders.place(connection, 1);
        }

        @Override
        public void close() throws Exception {
            connection.close();
        }
    }

    private static String database(Testbed testbed, String into) throws Exception {
        String database = testbed.databases().orders();
        if (into.equals("plain")) {
            try (Connection connection = testbed.connect(database)) {
                Sql.execute(connection, PLAIN);
            }
        }
        return database;
    }

    private static Map<String, Double> measured(Testbed testbed, Target target, int clients, Arguments arguments)
            throws Exception {
        try (Connection connection = testbed.connect(target.database())) {
            Sql.execute(connection, "CHECKPOINT");
            double wal = Sql.walBytes(connection);
            Usage before = Usage.now(testbed, List.of());
            ClosedLoop.Result result = ClosedLoop.run(
                    clients, arguments.number("warmup"), arguments.number("seconds"), target.newClient());
            // PostgreSQL adds up what an ended connection has used when it notices the end.
            TimeUnit.MILLISECONDS.sleep(300);
            Usage usage = Usage.now(testbed, List.of()).since(before);
            Map<String, Double> columns = new LinkedHashMap<>();
            columns.put("orders/s", result.perSecond());
            columns.put("p50 ms", result.delays().millis(50));
            columns.put("p99 ms", result.delays().millis(99));
            columns.put("pg cpu s/100k", usage.per100k(result.all()).get("pg cpu s/100k"));
            columns.put("wal B/order", (Sql.walBytes(connection) - wal) / result.all());
            if (target.into().equals("log+relay")) {
                awaitDelivery(connection);
            }
            return columns;
        }
    }

    /** What one run leaves to deliver is not to disturb the next. */
    private static void awaitDelivery(Connection connection) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (Sql.number(connection, """
                SELECT count(*) FROM outbox_lane l WHERE EXISTS (
                  SELECT FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor)
                """) > 0) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("the relay did not deliver within two minutes what was written");
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
