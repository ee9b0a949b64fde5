package dev.outboxlog.bench;

import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** How long it takes from a commit to a consumer. */
final class Latency implements Measurement {

    private static final List<String> COMPETITORS = List.of("relay", "relay-polled", "debezium");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String question() {
        return "How long from a commit until a consumer has the event: orders placed at the service, events inserted by others, Debezium?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.numbers("rates", "100,500,2000", "events a second, one run for each"),
                Setting.number("seconds", 20, "how long each run is measured"),
                Setting.number("warmup", 15, "seconds before that, which do not count"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Setting.someOf("competitors", COMPETITORS, "who takes part"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        List<String> names = arguments.texts("competitors");
        try (Testbed testbed = Testbed.start(Map.of("wal_level", "logical"))) {
            Versions.note(report, testbed, names.contains("debezium"));
            Map<String, Way> ways = new LinkedHashMap<>();
            ways.put("relay", Way.placed(testbed, Jvms.of(arguments)));
            ways.put("relay-polled", Way.polled(testbed, Jvms.of(arguments)));
            ways.put("debezium", Way.debezium(testbed));
            ways.keySet().retainAll(names);
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (int rate : arguments.numbers("rates")) {
                    for (Map.Entry<String, Way> way : ways.entrySet()) {
                        String topic = "latency-%s-%d-%d".formatted(way.getKey(), rate, round);
                        Timing timing = new Timing(rate, arguments.number("warmup"), arguments.number("seconds"));
                        report.add(
                                Row.of(round, "competitor", way.getKey()).and("rate", rate),
                                () -> measured(testbed, way.getValue(), topic, timing));
                    }
                }
            }
        }
        report.note(
                "From the time that PostgreSQL notes for the commit, which it takes before it makes the commit durable: the same for"
                        + " orders over HTTP and for SQL. 'client' is from what the writer sees: the return of COMMIT, or the answer 201.");
        report.note(
                "relay: the relay is told of each commit. relay-polled: events inserted by others are found by looking, every 300 ms"
                        + " by default (outbox.relay.poll-interval).");
    }

    private record Timing(int rate, int warmup, int seconds) {
        int events() {
            return rate * (warmup + seconds);
        }

        int firstMeasured() {
            return rate * warmup;
        }
    }

    private static Map<String, Double> measured(Testbed testbed, Way way, String topic, Timing timing)
            throws Exception {
        testbed.createTopic(topic);
        int mark = testbed.resources().mark();
        try {
            return measured(testbed, way.start(topic), topic, timing);
        } finally {
            testbed.resources().closeSince(mark);
            testbed.deleteTopic(topic);
        }
    }

    private static Map<String, Double> measured(Testbed testbed, Way.Running running, String topic, Timing timing)
            throws Exception {
        try (running;
                Receiver receiver = new Receiver(
                        testbed.bootstrapServers(), topic, timing.events(), PATIENCE, running.numberOf())) {
            CompletableFuture<Received> receiving = receiver.inBackground(running.children());
            Usage before = Usage.now(testbed, running.children());
            long[] returned = OpenLoop.run(timing.events(), timing.rate(), running.connections(), running.load());
            Received received = receiving.get(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
            Usage usage = Usage.now(testbed, running.children()).since(before);
            try (Connection connection = testbed.connect(running.database())) {
                return columns(timing, received, Commits.of(connection, timing.events()), returned, usage);
            }
        } finally {
            testbed.databases().drop(running.database());
        }
    }

    private static Map<String, Double> columns(
            Timing timing, Received received, long[] committed, long[] returned, Usage usage) {
        Delays fromCommit = new Delays();
        Delays fromClient = new Delays();
        for (int n = timing.firstMeasured(); n < timing.events(); n++) {
            fromCommit.add(received.arrivals()[n] - committed[n]);
            fromClient.add(received.arrivals()[n] - returned[n]);
        }
        Map<String, Double> columns = new LinkedHashMap<>();
        double seconds = (returned[timing.events() - 1] - returned[timing.firstMeasured()]) / 1e6;
        columns.put("events/s", (timing.events() - timing.firstMeasured()) / seconds);
        columns.putAll(fromCommit.columns());
        columns.put("client p50", fromClient.millis(50));
        columns.put("client p99", fromClient.millis(99));
        columns.putAll(usage.per100k(timing.events()));
        columns.put("others %", usage.othersPercent());
        columns.put("copies", (double) received.copies());
        columns.put("disorder", (double) received.outOfOrder());
        return columns;
    }
}
