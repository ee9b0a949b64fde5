package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.cancelled;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person can do about records on hold. */
@QuarkusTest
class HoldApiTest {

    private static final String DEED = "{\"who\":\"ada\",\"why\":\"the cause is repaired\"}";

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.database().execute("DROP INDEX IF EXISTS one_per_customer");
        service.close();
    }

    private long holdId(Event event) {
        return service.database().count("SELECT hold_id FROM inbox_hold WHERE event_id = ?", event.id());
    }

    private static ValidatableResponse act(long holdId, String action, String body) {
        return given().contentType(ContentType.JSON)
                .body(body)
                .post("/inbox/events/{id}/" + action, holdId)
                .then();
    }

    private static ValidatableResponse release(String subject) {
        return given().contentType(ContentType.JSON)
                .body(DEED)
                .post("/inbox/subjects/{subject}/release", subject)
                .then();
    }

    private Event parked(String orderId) {
        Event poison = addressChanged(orderId, 2, "Second").withValue("not JSON");
        service.topic().send(created(orderId), poison, addressChanged(orderId, 3, "Third"));
        service.awaitOutcome(poison, "parked");
        return poison;
    }

    /** An event that fails for a reason that can be repaired, with one behind it. */
    private List<Event> refusedByTheDatabase(String orderId) {
        service.database()
                .execute("CREATE UNIQUE INDEX one_per_customer ON shipments (customer_id) WHERE customer_id = 'sole-"
                        + orderId + "'");
        String other = newOrderId();
        Event first = ofCustomer("sole-" + orderId, created(other));
        Event refused = ofCustomer("sole-" + orderId, created(orderId));
        Event next = addressChanged(orderId, 2, "Second");
        service.topic().send(first);
        service.awaitOutcome(first, "applied");
        service.topic().send(refused, next);
        service.awaitOutcome(refused, "parked");
        service.awaitOutcome(next, "held");
        return List.of(refused, next);
    }

    private static Event ofCustomer(String customerId, Event created) {
        return created.withValue(new String(created.value(), UTF_8).replace("c-1", customerId));
    }

    @Test
    void a_parked_record_can_be_found_and_read_with_its_bytes() {
        // Given
        String orderId = newOrderId();
        Event poison = parked(orderId);

        // When
        ValidatableResponse listed =
                given().queryParam("subject", orderId).get("/inbox/events").then();
        ValidatableResponse whole =
                given().get("/inbox/events/{id}", holdId(poison)).then();

        // Then
        listed.statusCode(200)
                .body("items", hasSize(1))
                .body("items[0].eventId", equalTo(poison.id().toString()))
                .body("items[0].reasonCode", equalTo("bad-data"))
                .body("next", nullValue());
        whole.statusCode(200)
                .body("state", equalTo("parked"))
                .body("type", equalTo("order.address-changed"))
                .body("sequence", equalTo(2))
                .body("key.text", equalTo(orderId))
                .body("value.text", equalTo("not JSON"))
                .body("value.base64", equalTo("bm90IEpTT04="))
                .body("headers.find { it.name == 'ce_type' }.value.text", equalTo("order.address-changed"))
                .body("actions", hasSize(0));
    }

    @Test
    void pages_lead_from_one_to_the_next() {
        // Given
        String orderId = newOrderId();
        service.topic().send(cancelled(orderId, 5), cancelled(orderId, 6), cancelled(orderId, 7));
        service.awaitOutcome(lastOf(orderId), "held");

        // When
        var first = given().queryParam("state", "held")
                .queryParam("subject", orderId)
                .queryParam("limit", 2)
                .get("/inbox/events")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
        var second = given().queryParam("state", "held")
                .queryParam("subject", orderId)
                .queryParam("after", first.getString("next"))
                .get("/inbox/events")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();

        // Then
        assertThat(first.getList("items.sequence")).hasSize(2);
        assertThat(second.getList("items.sequence")).containsExactlyInAnyOrder(7, 8);
        assertThat(second.getString("next")).isNull();
    }

    private Event lastOf(String orderId) {
        Event last = cancelled(orderId, 8);
        service.topic().send(last);
        return last;
    }

    @Test
    void a_retry_applies_the_event_and_what_is_held_behind_it() {
        // Given
        String orderId = newOrderId();
        List<Event> events = refusedByTheDatabase(orderId);
        service.database().execute("DROP INDEX one_per_customer");

        // When
        ValidatableResponse answer = act(holdId(events.get(0)), "retry", DEED);

        // Then
        answer.statusCode(200).body("outcome", equalTo("applied")).body("changed", equalTo(true));
        assertThat(service.version(orderId)).isEqualTo(2);
        assertThat(service.outcome(events.get(0))).isEqualTo("applied");
        assertThat(service.outcome(events.get(1))).isEqualTo("applied");
        given().get("/inbox/events/{id}", holdId(events.get(0)))
                .then()
                .body("state", equalTo("settled"))
                .body("actions", hasSize(1))
                .body("actions[0].action", equalTo("retry"))
                .body("actions[0].who", equalTo("ada"))
                .body("actions[0].outcome", equalTo("applied"));
    }

    @Test
    void a_retry_of_what_is_refused_again_leaves_it_parked_and_says_why() {
        // Given
        String orderId = newOrderId();
        Event refused = refusedByTheDatabase(orderId).get(0);

        // When
        ValidatableResponse answer = act(holdId(refused), "retry", DEED);

        // Then
        answer.statusCode(409)
                .contentType("application/problem+json")
                .body("type", equalTo("urn:outboxlog:problem:retry-refused"));
        assertThat(service.outcome(refused)).isEqualTo("parked");
        given().get("/inbox/events/{id}", holdId(refused))
                .then()
                .body("state", equalTo("parked"))
                .body("actions[0].outcome", equalTo("refused: refused-by-database"));
    }

    @Test
    void a_retry_of_what_the_domain_rejects_leaves_it_parked() {
        // Given
        Event poison = parked(newOrderId());

        // When
        ValidatableResponse answer = act(holdId(poison), "retry", DEED);

        // Then
        answer.statusCode(409).body("detail", not(nullValue()));
        assertThat(service.outcome(poison)).isEqualTo("parked");
    }

    @Test
    void a_retry_of_what_is_settled_changes_nothing_and_says_so() {
        // Given
        String orderId = newOrderId();
        Event refused = refusedByTheDatabase(orderId).get(0);
        service.database().execute("DROP INDEX one_per_customer");
        act(holdId(refused), "retry", DEED).statusCode(200);

        // When
        ValidatableResponse again = act(holdId(refused), "retry", DEED);

        // Then
        again.statusCode(200).body("changed", equalTo(false)).body("outcome", equalTo("settled"));
        assertThat(service.version(orderId)).isEqualTo(2);
        assertThat(service.database().count("SELECT count(*) FROM inbox_action WHERE hold_id = ?", holdId(refused)))
                .isEqualTo(2);
    }

    @Test
    void discarding_needs_a_reason_and_happens_once() {
        // Given
        Event poison = parked(newOrderId());
        long holdId = holdId(poison);

        // When
        ValidatableResponse without = act(holdId, "discard", "{\"who\":\"ada\"}");
        ValidatableResponse first = act(holdId, "discard", DEED);
        ValidatableResponse second = act(holdId, "discard", DEED);

        // Then
        without.statusCode(400).contentType("application/problem+json");
        first.statusCode(200).body("changed", equalTo(true));
        second.statusCode(200).body("changed", equalTo(false)).body("outcome", equalTo("discarded"));
        assertThat(service.outcome(poison)).isEqualTo("discarded");
        assertThat(service.database().count("SELECT count(*) FROM inbox_action WHERE hold_id = ?", holdId))
                .isEqualTo(1);
    }

    @Test
    void what_is_held_behind_a_discarded_event_goes_on_when_a_person_releases_it() {
        // Given
        String orderId = newOrderId();
        Event poison = parked(orderId);
        act(holdId(poison), "discard", DEED).statusCode(200);
        assertThat(service.version(orderId)).isEqualTo(1);

        // When
        ValidatableResponse answer = release(orderId);

        // Then
        answer.statusCode(200).body("outcome", equalTo("freed 1")).body("changed", equalTo(true));
        assertThat(service.version(orderId)).isEqualTo(3);
        assertThat(service.database()
                        .value("SELECT who FROM inbox_action WHERE subject = ? AND action = 'release'", orderId))
                .isEqualTo("ada");
        release(orderId).statusCode(404);
    }

    @Test
    void an_order_whose_first_event_never_came_cannot_be_released() {
        // Given
        String orderId = newOrderId();
        Event orphan = cancelled(orderId, 2);
        service.topic().send(orphan);
        service.awaitOutcome(orphan, "held");

        // When
        ValidatableResponse answer = release(orderId);

        // Then
        answer.statusCode(409).body("type", equalTo("urn:outboxlog:problem:release-impossible"));
        assertThat(service.outcome(orphan)).isEqualTo("held");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"who\":\"ada\",\"why\":\" \"}",
                "{\"who\":\"\",\"why\":\"x\"}",
                "{\"who\":\"ada\",\"why\":\"x\",\"more\":1}",
                "{\"who\":\"a\\u0000\",\"why\":\"x\"}",
                "{",
                "",
                "[]"
            })
    void a_body_that_is_not_usable_is_400(String body) {
        given().contentType(ContentType.JSON)
                .body(body)
                .post("/inbox/events/1/discard")
                .then()
                .statusCode(400)
                .contentType("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "x", "99999999999999999999", "-1"})
    void a_record_that_does_not_exist_is_404(String holdId) {
        given().get("/inbox/events/{id}", holdId).then().statusCode(404).contentType("application/problem+json");
        given().contentType(ContentType.JSON)
                .body(DEED)
                .post("/inbox/events/{id}/retry", holdId)
                .then()
                .statusCode(404);
        given().contentType(ContentType.JSON)
                .body(DEED)
                .post("/inbox/events/{id}/discard", holdId)
                .then()
                .statusCode(404);
    }

    @Test
    void a_body_of_another_type_is_415() {
        given().contentType("text/plain")
                .body(DEED)
                .post("/inbox/events/1/discard")
                .then()
                .statusCode(415)
                .contentType("application/problem+json");
    }
}
