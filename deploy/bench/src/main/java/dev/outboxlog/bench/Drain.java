package dev.outboxlog.bench;

import dev.outboxlog.local.LocalKafka;
import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.ServiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How fast a backlog leaves: the packaged order-service against a producer that has its events in memory, in turns. Both run in a process of
 * their own beside PostgreSQL and Kafka, on the same cores.
 */
final class Drain {

    private static final int EVENTS_PER_TRANSACTION = 10_000;

    private final int events;
    private final int aggregates;
    private final int rounds;

    Drain(Arguments arguments) {
        events = arguments.get("events", 200_000);
        aggregates = arguments.get("aggregates", 1000);
        rounds = arguments.get("rounds", 3);
    }

    void run() throws Exception {
        List<Double> ratios = new ArrayList<>();
        System.out.printf(
                "%d events of about 500 bytes, %d aggregates, order-service with %s%n",
                events, aggregates, String.join(" ", ServiceProcess.SMALL_JVM));
        System.out.printf(
                "%-6s %14s %14s %7s %7s %13s %9s%n",
                "round", "relay /s", "producer /s", "ratio", "copies", "out of order", "RSS MiB");
        try (LocalServers.Temporary temporary = LocalServers.startTemporary()) {
            LocalServers servers = temporary.servers();
            // The broker's first records are its slowest: nobody should be charged for them.
            producer(servers, 0);
            for (int round = 1; round <= rounds; round++) {
                RelayRun relay = relay(servers, temporary.directory(), round);
                Receiver.Result raw = producer(servers, round);
                double ratio = relay.result().perSecond() / raw.perSecond();
                ratios.add(ratio);
                System.out.printf(
                        "%-6d %14.0f %14.0f %7.2f %7d %13d %9d%n",
                        round,
                        relay.result().perSecond(),
                        raw.perSecond(),
                        ratio,
                        relay.result().copies(),
                        relay.result().outOfOrder(),
                        relay.residentMiB());
            }
        }
        ratios.sort(null);
        System.out.printf("median ratio %.2f%n", ratios.get(ratios.size() / 2));
    }

    private record RelayRun(Receiver.Result result, long residentMiB) {}

    private RelayRun relay(LocalServers servers, Path directory, int round) throws Exception {
        String topic = "drain-relay-" + round;
        servers.kafka().createTopics(List.of(topic));
        Services services = new Services(directory);
        try (ServiceProcess migrates = orderService(services, servers, false)) {
            migrates.awaitReady(Services.START_UP);
        }
        append(servers, topic);
        try (Receiver receiver =
                        new Receiver(servers.kafka().bootstrapServers(), topic, LocalKafka.PARTITIONS, events);
                ServiceProcess relay = orderService(services, servers, true)) {
            Receiver.Result result = receiver.receiveAll();
            return new RelayRun(result, residentMiB(relay.process().pid()));
        }
    }

    private ServiceProcess orderService(Services services, LocalServers servers, boolean relay) throws IOException {
        Map<String, String> settings = new HashMap<>(servers.serviceSettings(LocalServers.ORDERS));
        settings.put("outbox.relay.enabled", Boolean.toString(relay));
        return services.start("order-service", settings);
    }

    private void append(LocalServers servers, String topic) throws SQLException {
        try (Connection connection = servers.postgres().connect(LocalServers.ORDERS);
                Statement statement = connection.createStatement();
                PreparedStatement insert = connection.prepareStatement("""
                        INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                        SELECT gen_random_uuid(), ?, 'bench.event', 'bench', 'aggregate-' || mod(n, ?), n / ? + 1, %s
                        FROM generate_series(?, ?) AS n
                        """.formatted(Payloads.SQL))) {
            for (int from = 0; from < events; from += EVENTS_PER_TRANSACTION) {
                insert.setString(1, topic);
                insert.setInt(2, aggregates);
                insert.setInt(3, aggregates);
                insert.setInt(4, from);
                insert.setInt(5, Math.min(from + EVENTS_PER_TRANSACTION, events) - 1);
                insert.executeUpdate();
            }
            statement.execute("VACUUM ANALYZE outbox_log");
            statement.execute("CHECKPOINT");
            try (ResultSet pending = statement.executeQuery("SELECT count(*) FROM outbox WHERE status = 'pending'")) {
                pending.next();
                if (pending.getInt(1) != events) {
                    throw new IllegalStateException(pending.getInt(1) + " events are pending, not " + events);
                }
            }
        }
    }

    private Receiver.Result producer(LocalServers servers, int round) throws Exception {
        String topic = "drain-producer-" + round;
        servers.kafka().createTopics(List.of(topic));
        Process producer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RawProducer.class.getName(),
                        servers.kafka().bootstrapServers(),
                        topic,
                        Integer.toString(events),
                        Integer.toString(aggregates))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (Receiver receiver =
                new Receiver(servers.kafka().bootstrapServers(), topic, LocalKafka.PARTITIONS, events)) {
            return receiver.receiveAll();
        } finally {
            producer.waitFor();
        }
    }

    /** Memory that the process occupies; 0 where the system does not tell. */
    private static long residentMiB(long pid) throws IOException {
        Path status = Path.of("/proc/" + pid + "/status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .findFirst()
                .orElse(0L);
    }
}
