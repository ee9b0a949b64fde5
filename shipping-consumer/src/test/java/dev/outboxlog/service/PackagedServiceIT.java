package dev.outboxlog.service;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.LocalKafka;
import dev.outboxlog.local.LocalPostgres;
import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.ServiceProcess;
import dev.outboxlog.testing.Database;
import dev.outboxlog.testing.OrdersTopic;
import dev.outboxlog.testing.OrdersTopic.Event;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The packaged service as a process: crashes, signals, servers that come and go. Every test has its own servers. */
class PackagedServiceIT {

    private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private LocalPostgres postgres;
    private int postgresPort;
    private int kafkaPort;
    private int managementPort;

    @BeforeEach
    void startPostgres() throws Exception {
        postgresPort = LocalServers.portOrFree(0);
        kafkaPort = LocalServers.portOrFree(0);
        postgres = LocalPostgres.start(directory.resolve("postgres"), postgresPort, List.of(LocalServers.SHIPPING));
    }

    @AfterEach
    void stopAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        postgres.close();
    }

    private <T extends AutoCloseable> T closedLater(T resource) {
        open.add(resource);
        return resource;
    }

    private LocalKafka startKafka() throws Exception {
        return closedLater(LocalKafka.start(
                directory.resolve("kafka"), kafkaPort, LocalServers.portOrFree(0), List.of(LocalServers.TOPIC)));
    }

    private OrdersTopic topic() {
        return closedLater(new OrdersTopic("127.0.0.1:" + kafkaPort));
    }

    private Database database() {
        return closedLater(new Database(postgres.jdbcUrl(LocalServers.SHIPPING)));
    }

    private ServiceProcess startService(Map<String, String> more) throws IOException {
        Map<String, String> settings = new HashMap<>(postgres.serviceSettings(LocalServers.SHIPPING));
        settings.put("kafka.bootstrap.servers", "127.0.0.1:" + kafkaPort);
        settings.put("inbox.retry.max-delay", "500ms");
        settings.putAll(more);
        managementPort = LocalServers.portOrFree(0);
        return closedLater(ServiceProcess.start(new ServiceProcess.Spec(
                "shipping-consumer",
                JAR,
                LocalServers.portOrFree(0),
                managementPort,
                List.of("-Xmx256m"),
                settings,
                log())));
    }

    private Path log() {
        return directory.resolve("service.log");
    }

    private String get(String path) {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
                    .timeout(Duration.ofSeconds(15))
                    .build();
            var response = HTTP.send(request, BodyHandlers.ofString());
            return response.statusCode() + "\n" + response.body();
        } catch (IOException | InterruptedException e) {
            return "no answer: " + e;
        }
    }

    private double metric(String name) {
        return get("/q/metrics")
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private static List<Event> eventsOf(List<String> orderIds, int versions) {
        List<Event> events = new ArrayList<>();
        orderIds.forEach(orderId -> events.add(created(orderId)));
        for (int version = 2; version <= versions; version++) {
            for (String orderId : orderIds) {
                events.add(addressChanged(orderId, version, "Street " + version));
            }
        }
        return events;
    }

    private static List<String> newOrderIds(int count) {
        return Stream.generate(OrdersTopic::newOrderId).limit(count).toList();
    }

    private static void awaitShipments(Database database, int count, int version) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(
                                database.count("SELECT count(*) FROM shipments WHERE order_version = ?", version))
                        .isEqualTo(count));
    }

    private static void assertEveryEventAppliedOnce(Database database, int events) {
        assertThat(database.count("SELECT count(*) FROM processed_events WHERE outcome = 'applied'"))
                .isEqualTo(events);
        assertThat(database.count("SELECT count(*) FROM inbox_hold")).isZero();
    }

    @Test
    void a_service_that_is_killed_again_and_again_applies_every_event_once() throws Exception {
        // Given
        startKafka();
        OrdersTopic topic = topic();
        List<String> orderIds = newOrderIds(2000);
        topic.send(eventsOf(orderIds, 5));

        // When
        long seen = 0;
        for (int kill = 0; kill < 3; kill++) {
            ServiceProcess service = startService(Map.of("inbox.batch.max-records", "50"));
            service.awaitReady(SOON);
            Database database = database();
            long before = seen;
            await().pollInterval(Duration.ofMillis(5))
                    .atMost(SOON)
                    .until(() -> database.count("SELECT count(*) FROM processed_events") > before + 500);
            service.kill();
            seen = database.count("SELECT count(*) FROM processed_events");
        }
        startService(Map.of());

        // Then
        Database database = database();
        awaitShipments(database, 2000, 5);
        assertEveryEventAppliedOnce(database, 10_000);
    }

    /** Offsets that are committed before the database's commit would lose the batch here. */
    @Test
    void a_service_that_is_killed_inside_a_transaction_applies_its_events_after_the_next_start() throws Exception {
        // Given
        startKafka();
        ServiceProcess service = startService(Map.of());
        service.awaitReady(SOON);
        Database database = database();
        database.begin();
        database.execute("LOCK TABLE shipments");
        topic().send(eventsOf(newOrderIds(10), 1));
        await().atMost(SOON).until(() -> database.count("SELECT count(*) FROM pg_locks AS l WHERE NOT l.granted") > 0);

        // When
        service.kill();
        database.commit();
        startService(Map.of());

        // Then
        awaitShipments(database, 10, 1);
        assertEveryEventAppliedOnce(database, 10);
    }

    @Test
    void a_service_that_is_asked_to_stop_finishes_what_is_in_hand_and_nothing_is_redelivered() throws Exception {
        // Given
        startKafka();
        topic().send(eventsOf(newOrderIds(2000), 5));
        ServiceProcess first = startService(Map.of("inbox.batch.max-records", "50"));
        first.awaitReady(SOON);
        Database database = database();
        await().pollInterval(Duration.ofMillis(5))
                .atMost(SOON)
                .until(() -> database.count("SELECT count(*) FROM processed_events") > 500);

        // When
        first.process().destroy();
        boolean ended = first.process().waitFor(20, TimeUnit.SECONDS);

        // Then
        assertThat(ended).isTrue();
        assertThat(first.process().exitValue()).isIn(0, 143);
        assertThat(Files.readString(log())).doesNotContain("pool closed").doesNotContain(" ERROR ");
        startService(Map.of()).awaitReady(SOON);
        awaitShipments(database, 2000, 5);
        assertEveryEventAppliedOnce(database, 10_000);
        assertThat(metric("inbox_events_total{outcome=\"duplicate\"}")).isZero();
    }

    @Test
    void a_database_that_is_away_for_a_while_delays_events_and_parks_none() throws Exception {
        // Given
        startKafka();
        OrdersTopic topic = topic();
        startService(Map.of()).awaitReady(SOON);
        String before = newOrderId();
        topic.send(created(before));
        awaitShipments(database(), 1, 1);

        // When
        open.remove(open.size() - 1).close();
        postgres.close();
        String during = newOrderId();
        topic.send(created(during), addressChanged(during, 2, "Second"));
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(get("/q/health/ready")).startsWith("503"));
        await().atMost(SOON).until(() -> metric("inbox_batches_retried_total{class=\"connection\"}") >= 3);
        assertThat(get("/q/health/live")).startsWith("200");
        postgres = LocalPostgres.start(directory.resolve("postgres"), postgresPort, List.of(LocalServers.SHIPPING));

        // Then
        Database database = database();
        awaitShipments(database, 1, 2);
        assertEveryEventAppliedOnce(database, 3);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(get("/q/health/ready")).startsWith("200"));
    }

    @Test
    void a_broker_that_comes_later_is_waited_for() throws Exception {
        // Given
        ServiceProcess service = startService(Map.of());
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(get("/q/health/live")).startsWith("200"));
        assertThat(get("/q/health/ready")).startsWith("503");

        // When
        startKafka();
        topic().send(created(newOrderId()));

        // Then
        awaitShipments(database(), 1, 1);
        service.awaitReady(SOON);
    }

    @ParameterizedTest
    @CsvSource({
        "inbox.topik, orders, inbox.topik",
        "inbox.stop-timeout, 10m, quarkus.shutdown.timeout",
        "inbox.batch.max-records, 0, inbox.batch.max-records",
        "inbox.dedup-window, 1d, inbox.redelivery-window"
    })
    void an_unsafe_setting_stops_the_start_and_is_named(String key, String value, String named) throws Exception {
        // When
        ServiceProcess service = startService(Map.of(key, value));
        boolean ended = service.process().waitFor(SOON.toSeconds(), TimeUnit.SECONDS);

        // Then
        assertThat(ended).isTrue();
        assertThat(service.process().exitValue()).isNotZero();
        assertThat(Files.readString(log())).contains(named);
    }
}
