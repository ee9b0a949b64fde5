package dev.outboxlog.order;

import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.outboxlog.local.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OrderApiTest {

    @Test
    void aPlacedOrderCanBeReadAgain() {
        // When
        var placed = Orders.place(Orders.VALID);
        // Then
        String id = placed.then().statusCode(201).extract().path("id");
        assertThat(placed.header("Location")).endsWith("/orders/" + id);
        assertThat(placed.jsonPath().getLong("totalMinor")).isEqualTo(4248);
        assertThat(placed.jsonPath().getString("status")).isEqualTo("placed");
        assertThat(get("/orders/{id}", id).then().statusCode(200).extract().asString())
                .isEqualTo(placed.asString());
    }

    @Test
    void eachChangeIsPublishedOnceInOrderWithCloudEventsHeaders() {
        // When
        String id = Orders.placed();
        Orders.shipTo(id, Orders.OTHER_ADDRESS).then().statusCode(200).body("version", equalTo(2));
        Orders.cancel(id).then().statusCode(200).body("version", equalTo(3));
        // Then
        await().untilAsserted(() -> assertThat(eventsOf(id)).hasSize(3));
        List<ConsumerRecord<String, String>> events = eventsOf(id);
        assertThat(events)
                .extracting(event -> TopicReader.header(event, "ce_type"))
                .containsExactly("order.created", "order.address-changed", "order.cancelled");
        assertThat(events)
                .extracting(event -> TopicReader.header(event, "ce_sequence"))
                .containsExactly("1", "2", "3");
        ConsumerRecord<String, String> created = events.get(0);
        assertThat(TopicReader.header(created, "ce_specversion")).isEqualTo("1.0");
        assertThat(TopicReader.header(created, "ce_source")).isEqualTo("/order-service");
        assertThat(TopicReader.header(created, "ce_subject")).isEqualTo(id);
        assertThat(TopicReader.header(created, "content-type")).isEqualTo("application/json");
        assertThat(UUID.fromString(TopicReader.header(created, "ce_id")).version())
                .isEqualTo(7);
        assertThat(OffsetDateTime.parse(TopicReader.header(created, "ce_time")))
                .isBeforeOrEqualTo(OffsetDateTime.now());
        JsonPath payload = JsonPath.from(created.value());
        assertThat(payload.getString("orderId")).isEqualTo(id);
        assertThat(payload.getLong("totalMinor")).isEqualTo(4248);
        assertThat(payload.getString("lines[1].sku")).isEqualTo("PEN-7");
        assertThat(payload.getString("shippingAddress.city")).isEqualTo("London");
    }

    @Test
    void cancellingTwiceAnswersTheSameAndTellsOnce() {
        // Given
        String id = Orders.placed();
        String first = Orders.cancel(id).then().statusCode(200).extract().asString();
        // When
        String second = Orders.cancel(id).then().statusCode(200).extract().asString();
        // Then
        assertThat(second).isEqualTo(first);
        assertThat(eventTypesInOutbox(id)).containsExactly("order.created", "order.cancelled");
    }

    @Test
    void theAddressOfACancelledOrderCannotBeChanged() {
        // Given
        String id = Orders.placed();
        Orders.cancel(id);
        // When
        var answer = Orders.shipTo(id, Orders.OTHER_ADDRESS);
        // Then
        answer.then().statusCode(409).contentType("application/problem+json");
        assertThat(answer.jsonPath().getString("detail")).contains("cancelled");
        assertThat(eventTypesInOutbox(id)).containsExactly("order.created", "order.cancelled");
    }

    @Test
    void theAddressThatAnOrderHasAlreadyIsNoChange() {
        // Given
        String id = Orders.placed();
        Orders.shipTo(id, Orders.OTHER_ADDRESS).then().statusCode(200);
        // When
        Orders.shipTo(id, Orders.OTHER_ADDRESS).then().statusCode(200).body("version", equalTo(2));
        // Then
        assertThat(eventTypesInOutbox(id)).containsExactly("order.created", "order.address-changed");
    }

    @Test
    void whatDoesNotExistIsNotFound() {
        String nobody = UUID.randomUUID().toString();
        get("/orders/{id}", nobody).then().statusCode(404).contentType("application/problem+json");
        get("/orders/{id}", "no-uuid").then().statusCode(404).contentType("application/problem+json");
        Orders.cancel(nobody).then().statusCode(404).contentType("application/problem+json");
        Orders.shipTo(nobody, Orders.OTHER_ADDRESS).then().statusCode(404).contentType("application/problem+json");
    }

    @Test
    void concurrentChangesOfOneOrderAreNumberedWithoutGaps() {
        // Given
        String id = Orders.placed();
        int changes = 40;
        // When
        java.util.stream.IntStream.range(0, changes)
                .parallel()
                .forEach(n -> Orders.shipTo(id, Orders.OTHER_ADDRESS.replace("1 Dorset", n + " Dorset"))
                        .then()
                        .statusCode(200));
        // Then
        List<Object> sequences =
                DATABASE.column("SELECT sequence FROM outbox WHERE aggregate_id = ? ORDER BY position", id);
        assertThat(sequences)
                .containsExactlyElementsOf(java.util.stream.LongStream.rangeClosed(1, changes + 1)
                        .boxed()
                        .toList());
        await().untilAsserted(() -> assertThat(eventsOf(id))
                .extracting(event -> Long.valueOf(TopicReader.header(event, "ce_sequence")))
                .isEqualTo(sequences));
    }

    private static List<ConsumerRecord<String, String>> eventsOf(String orderId) {
        return TOPICS.read("orders").stream()
                .filter(record -> record.key().equals(orderId))
                .toList();
    }

    private static List<Object> eventTypesInOutbox(String orderId) {
        return DATABASE.column("SELECT type FROM outbox WHERE aggregate_id = ? ORDER BY position", orderId);
    }
}
