package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;

import dev.outboxlog.testing.Service;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the outside can see: health, metrics and the description of the API. */
@QuarkusTest
class ObservationTest {

    @TestHTTPResource(value = "/", management = true)
    String management;

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void a_service_with_both_dependencies_is_ready_and_alive() {
        given().get(management + "health/ready")
                .then()
                .statusCode(200)
                .body("status", equalTo("UP"))
                .body("checks.name", hasItems("broker", "Reactive PostgreSQL connections health check"));
        given().get(management + "health/live").then().statusCode(200).body("checks.name", hasItems("inbox"));
    }

    @Test
    void the_meters_of_the_inbox_are_there() {
        // Given
        String orderId = newOrderId();
        service.topic().send(created(orderId));
        service.awaitVersion(orderId, 1);

        // When
        String metrics = given().get(management + "metrics").then().extract().asString();

        // Then
        assertThat(metrics)
                .contains(
                        "inbox_events_total{outcome=\"applied\"}",
                        "inbox_events_total{outcome=\"duplicate\"}",
                        "inbox_batches_retried_total{class=\"timeout\"}",
                        "inbox_batches_split_total",
                        "inbox_held_freed_total",
                        "inbox_loop_restarts_total",
                        "inbox_batch_duration_seconds_count",
                        "inbox_latency_seconds_bucket{le=\"3600.0\"}",
                        "inbox_lag",
                        "inbox_on_hold{state=\"parked\"}");
    }

    @Test
    void the_description_of_the_api_is_on_the_public_port() {
        given().queryParam("format", "json")
                .get("/q/openapi")
                .then()
                .statusCode(200)
                .body("tags.name", hasItems("shipments", "inbox"))
                .body("info.title", equalTo("shipping-consumer"));
    }
}
