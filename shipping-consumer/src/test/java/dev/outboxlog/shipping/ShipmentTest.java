package dev.outboxlog.shipping;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.cancelled;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import dev.outboxlog.testing.Database;
import dev.outboxlog.testing.OrdersTopic;
import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ShipmentTest {

    private final Service service = new Service();
    private final OrdersTopic topic = service.topic();
    private final Database database = service.database();

    @AfterEach
    void close() {
        service.close();
    }

    private ValidatableResponse shipment(String orderId) {
        return given().get("/shipments/{id}", orderId).then();
    }

    private void awaitVersion(String orderId, int version) {
        service.awaitVersion(orderId, version);
    }

    private String outcome(Event event) {
        return service.outcome(event);
    }

    private void awaitOutcome(Event event, String outcome) {
        service.awaitOutcome(event, outcome);
    }

    @Test
    void a_created_order_becomes_a_shipment_that_is_being_prepared() {
        // Given
        String orderId = newOrderId();

        // When
        topic.send(created(orderId));

        // Then
        awaitVersion(orderId, 1);
        shipment(orderId)
                .body("status", equalTo("preparing"))
                .body("customerId", equalTo("c-1"))
                .body("lines", hasSize(1))
                .body("lines[0].sku", equalTo("A-1"))
                .body("totalMinor", equalTo(2500))
                .body("shippingAddress.street", equalTo("Main Street 1"))
                .body("refusals", hasSize(0));
    }

    @Test
    void later_events_of_an_order_change_its_shipment_in_order() {
        // Given
        String orderId = newOrderId();

        // When
        topic.send(created(orderId), addressChanged(orderId, 2, "Side Street 2"), cancelled(orderId, 3));

        // Then
        awaitVersion(orderId, 3);
        shipment(orderId).body("status", equalTo("cancelled")).body("shippingAddress.street", equalTo("Side Street 2"));
    }

    @Test
    void an_event_that_comes_three_times_in_one_batch_has_one_effect() {
        // Given
        String orderId = newOrderId();
        Event created = created(orderId);
        Event changed = addressChanged(orderId, 2, "Side Street 2");

        // When
        topic.send(created, created, created, changed, created, changed);

        // Then
        awaitVersion(orderId, 2);
        assertThat(outcome(created)).isEqualTo("applied");
        assertThat(database.count("SELECT count(*) FROM inbox_hold WHERE subject = ?", orderId))
                .isZero();
    }

    @Test
    void a_duplicate_that_comes_later_has_no_effect_and_stops_nobody() {
        // Given
        String orderId = newOrderId();
        Event created = created(orderId);
        topic.send(created, addressChanged(orderId, 2, "Side Street 2"));
        awaitVersion(orderId, 2);

        // When
        topic.send(created, addressChanged(orderId, 3, "Third Street 3"));

        // Then
        awaitVersion(orderId, 3);
        shipment(orderId).body("shippingAddress.street", equalTo("Third Street 3"));
        assertThat(outcome(created)).isEqualTo("applied");
    }

    @Test
    void an_event_older_than_what_is_known_is_recorded_and_not_applied() {
        // Given
        String orderId = newOrderId();
        topic.send(created(orderId), addressChanged(orderId, 2, "Second"), addressChanged(orderId, 3, "Third"));
        awaitVersion(orderId, 3);

        // When
        Event stale = addressChanged(orderId, 2, "Other second");
        topic.send(stale);

        // Then
        awaitOutcome(stale, "stale");
        shipment(orderId).body("orderVersion", equalTo(3)).body("shippingAddress.street", equalTo("Third"));
    }

    @Test
    void an_event_that_skips_a_number_is_held_and_applied_with_its_successors_when_the_missing_one_comes() {
        // Given
        String orderId = newOrderId();
        Event third = addressChanged(orderId, 3, "Third");
        Event fourth = addressChanged(orderId, 4, "Fourth");
        topic.send(created(orderId), fourth, third);
        awaitOutcome(fourth, "held");
        awaitOutcome(third, "held");
        shipment(orderId).body("orderVersion", equalTo(1));

        // When
        topic.send(addressChanged(orderId, 2, "Second"));

        // Then
        awaitVersion(orderId, 4);
        shipment(orderId).body("shippingAddress.street", equalTo("Fourth"));
        assertThat(outcome(third)).isEqualTo("applied");
        assertThat(outcome(fourth)).isEqualTo("applied");
        assertThat(database.count("SELECT count(*) FROM inbox_hold WHERE subject = ?", orderId))
                .isZero();
    }

    @Test
    void changes_that_come_after_dispatch_are_refused_visibly() {
        // Given
        String orderId = newOrderId();
        topic.send(created(orderId));
        awaitVersion(orderId, 1);
        given().post("/shipments/{id}/dispatch", orderId).then().statusCode(200);

        // When
        Event changed = addressChanged(orderId, 2, "Too late");
        Event cancelled = cancelled(orderId, 3);
        topic.send(changed, cancelled);

        // Then
        awaitVersion(orderId, 3);
        shipment(orderId)
                .body("status", equalTo("dispatched"))
                .body("shippingAddress.street", equalTo("Main Street 1"))
                .body("refusals", hasSize(2))
                .body("refusals[0].eventId", equalTo(changed.id().toString()))
                .body("refusals[0].type", equalTo("order.address-changed"))
                .body("refusals[0].version", equalTo(2))
                .body("refusals[0].reason", equalTo("the shipment is dispatched"))
                .body("refusals[1].eventId", equalTo(cancelled.id().toString()));
    }

    @Test
    void dispatching_twice_answers_the_same() {
        // Given
        String orderId = newOrderId();
        topic.send(created(orderId));
        awaitVersion(orderId, 1);

        // When
        String first = given().post("/shipments/{id}/dispatch", orderId).body().asString();
        String second = given().post("/shipments/{id}/dispatch", orderId).body().asString();

        // Then
        assertThat(first).contains("\"status\":\"dispatched\"").contains("dispatchedAt");
        assertThat(second).isEqualTo(first);
    }

    @Test
    void a_cancelled_shipment_cannot_be_dispatched() {
        // Given
        String orderId = newOrderId();
        topic.send(created(orderId), cancelled(orderId, 2));
        awaitVersion(orderId, 2);

        // When
        ValidatableResponse response =
                given().post("/shipments/{id}/dispatch", orderId).then();

        // Then
        response.statusCode(409)
                .contentType("application/problem+json")
                .body("type", equalTo("urn:outboxlog:problem:shipment-cancelled"));
        shipment(orderId).body("status", equalTo("cancelled"));
    }

    @Test
    void an_event_of_an_unknown_type_is_ignored_and_its_successor_is_applied() {
        // Given
        String orderId = newOrderId();
        Event unknown = OrdersTopic.event("order.praised", orderId, 2, "{\"orderId\":\"" + orderId + "\"}");

        // When
        topic.send(created(orderId), unknown, addressChanged(orderId, 3, "Third"));

        // Then
        awaitVersion(orderId, 3);
        assertThat(outcome(unknown)).isEqualTo("ignored");
    }

    @Test
    void all_pages_together_are_all_shipments_of_a_status() {
        // Given
        List<String> orderIds = List.of(newOrderId(), newOrderId(), newOrderId(), newOrderId(), newOrderId());
        for (String orderId : orderIds) {
            topic.send(created(orderId), cancelled(orderId, 2));
        }
        orderIds.forEach(orderId -> awaitVersion(orderId, 2));

        // When
        List<String> seen = new java.util.ArrayList<>();
        String after = null;
        do {
            var request = given().queryParam("status", "cancelled").queryParam("limit", 2);
            var page = (after == null ? request : request.queryParam("after", after))
                    .get("/shipments")
                    .then()
                    .statusCode(200)
                    .extract()
                    .jsonPath();
            seen.addAll(page.getList("items.orderId"));
            after = page.getString("next");
        } while (after != null);

        // Then
        assertThat(seen).doesNotHaveDuplicates().isSorted().containsAll(orderIds);
    }
}
