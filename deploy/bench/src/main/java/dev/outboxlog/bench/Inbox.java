package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How fast the packaged shipping-consumer applies events, and skips those that it has seen. */
final class Inbox implements Measurement {

    private static final int FEWER_ONE_BY_ONE = 20;
    /** Rare: telling its metrics costs the service some milliseconds. */
    private static final long POLL_MILLIS = 250;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @Override
    public String name() {
        return "inbox";
    }

    @Override
    public String question() {
        return "How fast does shipping-consumer apply new events, skip duplicates, and apply events with a transaction for each?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number(
                        "events",
                        100_000,
                        "events, each of an order of its own; a twentieth with a transaction for each"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Setting.someOf("what", List.of("new", "duplicate", "one-by-one"), "what is measured"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        List<String> what = arguments.texts("what");
        int events = arguments.number("events");
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                Run run = new Run(testbed, testbed.databases().shipping(), "inbox-" + round, Jvms.of(arguments));
                run.fill(events);
                Row fresh = Row.of(round, "what", "new").with(run.consume("applied", events, Map.of()));
                if (what.contains("new")) {
                    report.add(fresh);
                }
                if (what.contains("duplicate")) {
                    run.rewind();
                    report.add(Row.of(round, "what", "duplicate").with(run.consume("duplicate", events, Map.of())));
                }
                testbed.databases().drop(run.database());
                testbed.deleteTopic(run.topic());
                if (what.contains("one-by-one")) {
                    int fewer = Math.max(1, events / FEWER_ONE_BY_ONE);
                    Run single = new Run(testbed, testbed.databases().shipping(), "inbox-single-" + round, run.jvm());
                    single.fill(fewer);
                    report.add(Row.of(round, "what", "one-by-one")
                            .with(single.consume("applied", fewer, Map.of("inbox.batch.max-records", "1"))));
                    testbed.databases().drop(single.database());
                    testbed.deleteTopic(single.topic());
                }
            }
        }
        report.compare("events/s", "what", "one-by-one");
        report.note(
                "Counted with the service's own meter inbox_events_total: from the first reading above 0 to the last before all were"
                        + " counted");
    }

    /** What the service had counted at a moment. */
    private record Reading(double count, long nanos) {
        double perSecondSince(Reading before) {
            return (count - before.count) * 1e9 / Math.max(1, nanos - before.nanos);
        }
    }

    /** One topic, one group, one database. */
    private record Run(Testbed testbed, String database, String topic, List<String> jvm) {

        void fill(int events) throws Exception {
            testbed.createTopic(topic);
            OrdersTopic.fill(testbed.bootstrapServers(), topic, events);
        }

        /** Sets the group back to the beginning of the topic. */
        void rewind() throws Exception {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            for (int partition = 0; partition < Testbed.PARTITIONS; partition++) {
                offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(0));
            }
            testbed.admin().alterConsumerGroupOffsets(topic, offsets).all().get(30, TimeUnit.SECONDS);
        }

        Map<String, Double> consume(String outcome, int events, Map<String, String> more) throws Exception {
            Map<String, String> settings = testbed.serviceSettings(database);
            settings.put("inbox.topic", topic);
            settings.put("inbox.group", topic);
            settings.putAll(more);
            try (Connection connection = testbed.connect(database);
                    Service service = testbed.service("shipping-consumer", jvm, settings)) {
                Sql.execute(connection, "VACUUM ANALYZE", "CHECKPOINT");
                double wal = Sql.walBytes(connection);
                service.ready();
                String series = "inbox_events_total{outcome=\"" + outcome + "\"}";
                Reading first = awaitMore(service, series, 0);
                Usage before = Usage.now(testbed, List.of(service.child()));
                Reading last = first;
                // What is counted when all is done also waited for nothing: the reading before that is the better end.
                Reading next = first;
                while (next.count() < events) {
                    last = next;
                    next = awaitMore(service, series, last.count());
                }
                Usage usage = Usage.now(testbed, List.of(service.child())).since(before);
                Reading end = last.count() > first.count() ? last : next;
                int measured = (int) (next.count() - first.count());
                Map<String, Double> columns = new LinkedHashMap<>();
                columns.put("events", (double) events);
                columns.put("events/s", end.perSecondSince(first));
                columns.putAll(usage.per100k(Math.max(1, measured)));
                columns.put("wal B/event", (Sql.walBytes(connection) - wal) / events);
                columns.put("MiB", (double) Proc.peakMiB(service.child().pid()));
                columns.put("others %", usage.othersPercent());
                return columns;
            }
        }

        private static Reading awaitMore(Service service, String series, double than) throws Exception {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                Reading now = new Reading(service.metric(series), System.nanoTime());
                if (now.count() > than) {
                    return now;
                }
                service.child().requireAlive();
                if (System.nanoTime() > deadline) {
                    throw new TimeoutException("%s stayed at %.0f for a minute%n%s"
                            .formatted(series, now.count(), service.child().tail()));
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }
}
