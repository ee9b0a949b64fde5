package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import dev.outboxlog.local.testing.Database;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The main job: an order placed over HTTP becomes exactly one shipment, and what happens to it later follows. */
class OrderToShipmentIT {

    private static TestSystem system;

    @BeforeAll
    static void start() throws Exception {
        system = new TestSystem();
        system.startOrders();
        system.startShipping();
    }

    @AfterAll
    static void stop() throws Exception {
        system.close();
    }

    @Test
    void anOrderBecomesOneShipment() {
        // When
        String id = system.placeOrder();
        // Then
        awaitShipment(id, "preparing", 1);
        system.shipment(id)
                .then()
                .body("customerId", equalTo("customer-1"))
                .body("lines", hasSize(1))
                .body("lines[0].sku", equalTo("BOOK-1"))
                .body("totalMinor", equalTo(3998))
                .body("shippingAddress.street", equalTo("12 St James Square"));
        assertThat(system.records(id)).hasSize(1);
        assertThat(system.shippingDatabase().number("SELECT count(*) FROM shipments WHERE order_id::text = ?", id))
                .isEqualTo(1);
    }

    @Test
    void whatHappensToTheOrderHappensToItsShipment() {
        // Given
        String id = system.placeOrder();
        // When
        system.shipTo(id, "1 Dorset Street").then().statusCode(200);
        // Then
        awaitShipment(id, "preparing", 2);
        system.shipment(id).then().body("shippingAddress.street", equalTo("1 Dorset Street"));
        // When
        system.cancelOrder(id).then().statusCode(200);
        // Then
        awaitShipment(id, "cancelled", 3);
        system.dispatch(id).then().statusCode(409).contentType("application/problem+json");
    }

    @Test
    void whatComesAfterTheDispatchIsRefusedVisibly() {
        // Given
        String id = system.placeOrder();
        awaitShipment(id, "preparing", 1);
        system.dispatch(id).then().statusCode(200);
        // When
        system.shipTo(id, "1 Dorset Street").then().statusCode(200);
        system.cancelOrder(id).then().statusCode(200);
        // Then
        awaitShipment(id, "dispatched", 3);
        system.shipment(id)
                .then()
                .body("shippingAddress.street", equalTo("12 St James Square"))
                .body("refusals", hasSize(2))
                .body("refusals[0].type", equalTo("order.address-changed"))
                .body("refusals[1].type", equalTo("order.cancelled"));
    }

    @Test
    void anEventInsertedWithPsqlIsAsGoodAsAnyOther() {
        // Given
        Database orders = system.ordersDatabase();
        String orderId = UUID.randomUUID().toString();
        // When
        orders.execute("""
                INSERT INTO outbox (id, topic, type, aggregate_id, payload, status, created_at)
                VALUES (gen_random_uuid(), 'orders', 'order.created', ?, ?::json, 'pending', now())
                """, orderId, """
                {"orderId": "%s", "customerId": "psql", "lines": [{"sku": "A", "quantity": 1, "unitPriceMinor": 5, "currency": "EUR"}],
                 "totalMinor": 5, "currency": "EUR",
                 "shippingAddress": {"name": "A", "street": "B", "city": "C", "postalCode": "D", "country": "GB"}}
                """.formatted(orderId));
        // Then
        awaitShipment(orderId, "preparing", 1);
        await().untilAsserted(
                        () -> assertThat(orders.column("SELECT status FROM outbox WHERE aggregate_id = ?", orderId))
                                .containsExactly("delivered"));
    }

    @Test
    void theFirstNumbersThatAnOperatorAsksForAreThere() {
        system.placeOrder();
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            String metrics = system.ordersManagement("/q/metrics").asString();
            assertThat(metrics)
                    .containsPattern("(?m)^outbox_pending_events 0\\.0$")
                    .containsPattern("(?m)^outbox_oldest_age_seconds 0\\.0$")
                    .containsPattern("(?m)^outbox_redelivered_events_total 0\\.0$")
                    .containsPattern("(?m)^outbox_publish_failures_total\\{class=\"broker\"\\} 0\\.0$")
                    .containsPattern("(?m)^outbox_delivered_events_total [1-9]");
        });
    }

    private static void awaitShipment(String orderId, String status, int version) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> system.shipment(orderId)
                        .then()
                        .statusCode(200)
                        .body("status", equalTo(status))
                        .body("orderVersion", equalTo(version)));
    }
}
