package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.ServiceProcess;
import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code kill -9} at the points where something is left behind. */
class CrashIT {

    /** Held by the test while it wants a statement of a service to wait. */
    private static final String BREAKPOINT = "4242";

    private TestSystem system;

    @BeforeEach
    void start() throws Exception {
        system = new TestSystem();
    }

    @AfterEach
    void stop() throws Exception {
        system.close();
    }

    @Test
    void aRelayKilledBetweenPublishAndAdvanceLeadsToASecondCopyAndOneShipment() throws Exception {
        // Given: the advance of the cursor waits
        ServiceProcess orders = system.startOrders();
        system.startShipping();
        Database database = system.ordersDatabase();
        try (Connection breakpoint = database.connect()) {
            Database.execute(breakpoint, "SELECT pg_advisory_lock(" + BREAKPOINT + ")");
            waitAt(database, "BEFORE UPDATE ON outbox_lane FOR EACH ROW WHEN (NEW.cursor <> OLD.cursor)");
            String id = system.placeOrder();
            await().untilAsserted(() -> assertThat(system.records(id)).hasSize(1));
            awaitWaitingAt(database);
            // When
            orders.kill();
            release(database, "outbox_lane");
            assertThat(database.text("SELECT status FROM outbox WHERE aggregate_id = ?", id))
                    .isEqualTo("processing");
            system.startOrders();
            // Then
            await().atMost(TestSystem.LEASE.multipliedBy(3))
                    .untilAsserted(
                            () -> assertThat(database.text("SELECT status FROM outbox WHERE aggregate_id = ?", id))
                                    .isEqualTo("delivered"));
            List<ConsumerRecord<String, String>> records = system.records(id);
            assertThat(records).hasSize(2);
            assertThat(TopicReader.ids(records).get(1))
                    .isEqualTo(TopicReader.ids(records).get(0));
            assertThat(records.get(1).value()).isEqualTo(records.get(0).value());
            assertOneShipment(id);
            await().untilAsserted(() -> assertThat(
                            system.ordersManagement("/q/metrics").asString())
                    .containsPattern("(?m)^outbox_redelivered_events_total 1\\.0$"));
        }
    }

    @Test
    void aServiceKilledInMidTransactionLeavesNeitherOrderNorEvent() throws Exception {
        // Given: the insert of the event waits
        ServiceProcess orders = system.startOrders();
        Database database = system.ordersDatabase();
        try (Connection breakpoint = database.connect()) {
            Database.execute(breakpoint, "SELECT pg_advisory_lock(" + BREAKPOINT + ")");
            waitAt(database, "BEFORE INSERT ON outbox_log FOR EACH ROW");
            Thread client = new Thread(() -> {
                try {
                    system.tryToPlaceOrder();
                } catch (Exception e) {
                    // the service dies while it answers
                }
            });
            client.start();
            awaitWaitingAt(database);
            // When
            orders.kill();
            client.join();
            release(database, "outbox_log");
        }
        // Then
        assertThat(database.number("SELECT count(*) FROM orders")).isZero();
        assertThat(database.number("SELECT count(*) FROM outbox")).isZero();
        // And the next start works
        system.startOrders();
        String id = system.placeOrder();
        await().untilAsserted(() -> assertThat(system.records(id)).hasSize(1));
    }

    @Test
    void aConsumerKilledInMidTransactionAppliesTheEventOnceAfterwards() throws Exception {
        // Given: the business update waits
        system.startOrders();
        ServiceProcess shipping = system.startShipping();
        Database database = system.shippingDatabase();
        String id;
        try (Connection breakpoint = database.connect()) {
            Database.execute(breakpoint, "SELECT pg_advisory_lock(" + BREAKPOINT + ")");
            waitAt(database, "BEFORE INSERT ON shipments FOR EACH ROW");
            id = system.placeOrder();
            awaitWaitingAt(database);
            // When
            shipping.kill();
            release(database, "shipments");
        }
        assertThat(database.number("SELECT count(*) FROM processed_events")).isZero();
        system.startShipping();
        // Then
        assertOneShipment(id);
    }

    @Test
    void aRelayThatIsAskedToStopLeavesNothingLeased() throws Exception {
        // Given
        ServiceProcess orders = system.startOrders();
        Database database = system.ordersDatabase();
        for (int i = 0; i < 50; i++) {
            system.placeOrder();
        }
        // When
        orders.process().destroy();
        // Then
        assertThat(orders.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(orders.process().exitValue()).isIn(0, 143);
        assertThat(database.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                .isZero();
        // And nothing is published twice by the next
        system.startOrders();
        await().untilAsserted(
                        () -> assertThat(database.number("SELECT count(*) FROM outbox WHERE status <> 'delivered'"))
                                .isZero());
        assertThat(TopicReader.ids(system.topics().read("orders"))).hasSize(50).doesNotHaveDuplicates();
    }

    private void assertOneShipment(String orderId) {
        Database database = system.shippingDatabase();
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(system.shipment(orderId).statusCode()).isEqualTo(200));
        assertThat(database.number("SELECT count(*) FROM shipments")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM processed_events")).isEqualTo(1);
    }

    private static void waitAt(Database database, String trigger) {
        database.execute("""
                CREATE FUNCTION test_wait() RETURNS trigger LANGUAGE plpgsql
                AS $$BEGIN PERFORM pg_advisory_xact_lock_shared(%s); RETURN NEW; END$$
                """.formatted(BREAKPOINT));
        database.execute("CREATE TRIGGER test_wait " + trigger + " EXECUTE FUNCTION test_wait()");
    }

    private static void awaitWaitingAt(Database database) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(waiting(database)).isPositive());
    }

    private static long waiting(Database database) {
        return database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = " + BREAKPOINT
                + " AND NOT granted");
    }

    /**
     * Ends what still waits: the database does not know yet that its client is dead, and would go on with the statement, and commit it, as
     * soon as it no longer has to wait.
     */
    private static void release(Database database, String table) {
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = "
                + BREAKPOINT + " AND NOT granted");
        await().untilAsserted(() -> assertThat(waiting(database)).isZero());
        database.execute("DROP TRIGGER test_wait ON " + table);
    }
}
