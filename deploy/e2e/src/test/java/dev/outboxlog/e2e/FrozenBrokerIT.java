package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A broker that stops answering without going away, as on a paused virtual machine: connections stay open, nothing is refused, and what was sent
 * may have been taken or not.
 */
class FrozenBrokerIT {

    private static final String STREET = "1 Dorset Street";
    /** Longer than a lease, and six times as long as the producer tries to deliver. */
    private static final Duration FROZEN = TestSystem.LEASE.multipliedBy(3).dividedBy(2);

    private final List<String> placed = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService clients = new ScheduledThreadPoolExecutor(2);
    private TestSystem system;

    @BeforeEach
    void start() throws Exception {
        system = TestSystem.withBrokerProcess();
    }

    @AfterEach
    void stop() throws Exception {
        clients.shutdownNow();
        assertThat(clients.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        system.close();
    }

    @Test
    void ordersAreTakenWhileTheBrokerIsFrozenAndBecomeShipmentsOnceItGoesOn() throws Exception {
        // Given
        system.startOrders();
        system.startShipping();
        clients.scheduleWithFixedDelay(this::placeAndChange, 0, 50, TimeUnit.MILLISECONDS);
        clients.scheduleWithFixedDelay(this::checkLiveness, 0, 200, TimeUnit.MILLISECONDS);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(shipments()).isGreaterThan(20));
        // When
        system.brokerProcess().freeze();
        Database orders = system.ordersDatabase();
        String since = orders.text("SELECT clock_timestamp()::text");
        int before = placed.size();
        // Then: the reason is told, and every order is answered as before
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(
                                system.ordersManagement("/q/health/ready").asString())
                        .contains("waiting for Kafka"));
        await().atMost(FROZEN.multipliedBy(2))
                .untilAsserted(() -> assertThat(orders.number(
                                "SELECT extract(epoch FROM clock_timestamp() - ?::timestamptz) * 1000", since))
                        .isGreaterThan(FROZEN.toMillis()));
        system.ordersManagement("/q/health/ready").then().statusCode(200);
        assertThat(placed.size() - before).isGreaterThan(50);
        assertThat(orders.number("SELECT count(*) FROM outbox WHERE status IN ('pending', 'processing')"))
                .isGreaterThan(50);
        assertThat(orders.number("SELECT count(*) FROM outbox_hold")).isZero();
        // When
        system.brokerProcess().thaw();
        // Then
        int during = placed.size();
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(placed.size()).isGreaterThan(during + 20));
        clients.shutdown();
        assertThat(clients.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(refused).isEmpty();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(orders.number("SELECT count(*) FROM outbox WHERE status <> 'delivered'"))
                                .isZero());
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(system.shippingDatabase().number("SELECT count(*) FROM processed_events"))
                                .isEqualTo(2L * placed.size()));
        checkLiveness();
        assertThat(refused).isEmpty();
        assertThat(orders.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThatEachEventIsThereAtMostTwiceAndInOrder();
        assertThatEachOrderIsOneShipmentWithItsChange();
    }

    private void placeAndChange() {
        try {
            String id = system.placeOrder();
            system.shipTo(id, STREET).then().statusCode(200);
            placed.add(id);
        } catch (Exception | AssertionError e) {
            refused.add("an order: " + e.getMessage());
        }
    }

    private void checkLiveness() {
        try {
            system.ordersManagement("/q/health/live").then().statusCode(200);
            system.shippingManagement("/q/health/live").then().statusCode(200);
        } catch (Exception | AssertionError e) {
            refused.add("liveness: " + e.getMessage());
        }
    }

    private long shipments() {
        return system.shippingDatabase().number("SELECT count(*) FROM shipments");
    }

    private void assertThatEachEventIsThereAtMostTwiceAndInOrder() {
        List<ConsumerRecord<String, String>> records = system.topics().read(LocalServers.TOPIC);
        Map<String, Long> copies = TopicReader.ids(records).stream()
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(copies).hasSize(2 * placed.size());
        assertThat(copies.values()).allMatch(number -> number <= 2);
        Map<String, List<String>> sequencesOfOrders = records.stream()
                .collect(Collectors.groupingBy(
                        ConsumerRecord::key,
                        Collectors.mapping(record -> TopicReader.header(record, "ce_sequence"), Collectors.toList())));
        assertThat(sequencesOfOrders).containsOnlyKeys(placed);
        assertThat(sequencesOfOrders.values())
                .allSatisfy(
                        sequences -> assertThat(sequences.stream().distinct()).containsExactly("1", "2"));
    }

    private void assertThatEachOrderIsOneShipmentWithItsChange() {
        List<Object> shipped =
                system.shippingDatabase().column("SELECT order_id::text FROM shipments WHERE order_version = 2");
        assertThat(shipped).containsExactlyInAnyOrderElementsOf(placed);
        assertThat(shipments()).isEqualTo(placed.size());
    }
}
