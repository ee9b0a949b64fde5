package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One connection for everything: requests and batches wait for each other, and nothing breaks. */
@QuarkusTest
@TestProfile(TinyPoolTest.OneConnection.class)
class TinyPoolTest {

    /** The smallest pool there is. */
    public static class OneConnection implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "quarkus.datasource.reactive.max-size", "1",
                    "inbox.database.acquire-timeout", "700ms",
                    "inbox.database.lock-timeout", "2s");
        }
    }

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void a_thousand_events_go_through_one_connection_while_requests_are_served() {
        // Given
        List<String> orderIds = Stream.generate(() -> newOrderId()).limit(1000).toList();

        // When
        service.topic().send(orderIds.stream().map(orderId -> created(orderId)).toList());

        // Then
        orderIds.stream().skip(990).forEach(orderId -> {
            service.awaitVersion(orderId, 1);
            given().get("/shipments/{id}", orderId).then().statusCode(200);
        });
        assertThat(service.database().count("SELECT count(*) FROM inbox_hold WHERE subject = ANY (?)", (Object)
                        orderIds.toArray(String[]::new)))
                .isZero();
    }

    @Test
    void a_request_that_gets_no_connection_in_time_is_told_to_come_again() {
        // Given
        String orderId = newOrderId();
        service.database().begin();
        service.database().execute("LOCK TABLE shipments");
        service.topic().send(created(orderId));

        // When
        Response response = given().get("/shipments/{id}", orderId);
        service.database().commit();

        // Then
        response.then().statusCode(503).contentType("application/problem+json").header("Retry-After", "5");
        service.awaitVersion(orderId, 1);
    }
}
