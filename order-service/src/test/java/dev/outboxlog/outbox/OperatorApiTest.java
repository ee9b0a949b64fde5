package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.Operator.assertProblem;
import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.nullValue;

import dev.outboxlog.local.testing.Database;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see over HTTP, and how they are told of mistakes. */
@QuarkusTest
@TestProfile(SmallReplays.class)
class OperatorApiTest {

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "api-" + UUID.randomUUID();
        TOPICS.create(topic, 1, Map.of("max.message.bytes", "2000"));
    }

    @Test
    void statsTellWhatWaitsAndWhatLeft() throws Exception {
        // Given
        append(topic, "a", 2);
        append("no topic can be named so", "b", 2);
        relays.relay("relay", LONG).drain();
        append(topic, "c", 3);
        // When
        JsonPath stats =
                given().get("/outbox/stats").then().statusCode(200).extract().jsonPath();
        // Then
        assertThat(stats.getInt("pending")).isEqualTo(3);
        assertThat(stats.getInt("held.parked")).isEqualTo(1);
        assertThat(stats.getInt("held.blocked")).isEqualTo(1);
        assertThat(stats.getInt("held.retrying")).isZero();
        assertThat(stats.getDouble("oldestUndeliveredSeconds")).isBetween(0.0, 60.0);
        assertThat(stats.getInt("lanes.free")).isEqualTo(64);
        assertThat(stats.getInt("lanes.leased")).isZero();
        assertThat(stats.getList("lanes.withoutService")).isEmpty();
        assertThat(stats.getInt("delivered.lastMinute")).isEqualTo(2);
        assertThat(stats.getInt("topics.find { it.topic == '" + topic + "' }.pending"))
                .isEqualTo(3);
        assertThat(stats.getInt("topics.find { it.topic == 'no topic can be named so' }.onHold"))
                .isEqualTo(2);
        assertThat(stats.getBoolean("relay.on")).isFalse();
        assertThat(stats.getString("relay.kafka.state")).isEqualTo("working");
        assertThat(stats.getString("relay.database.state")).isEqualTo("working");
    }

    @Test
    void statsTellOfALaneWhoseRelayDied() throws Exception {
        // Given
        append(topic, "a", 1);
        relays.relay("dead", LONG).worker().claim(RelayWorker.Mode.ORDINARY);
        given().get("/outbox/stats").then().body("lanes.leased", equalTo(1));
        // When
        TestRelays.expireLeases();
        // Then
        given().get("/outbox/stats").then().body("lanes.withoutService", equalTo(List.of(Lanes.of("a"))));
    }

    @Test
    void statsOfAnEmptyOutboxAreZero() {
        given().get("/outbox/stats")
                .then()
                .statusCode(200)
                .body("pending", equalTo(0))
                .body("oldestUndeliveredSeconds", nullValue());
    }

    @ParameterizedTest
    @CsvSource({
        "status=pending, 3",
        "status=delivered, 2",
        "status=processing, 0",
        "status=parked, 1",
        "status=blocked, 1",
        "status=retrying, 0",
        "status=discarded, 0",
        "aggregateId=a, 2",
        "aggregateId=a&status=pending, 0",
        "aggregateId=nobody, 0",
        "topic=no+topic+can+be+named+so, 2",
        "topic=no+topic+can+be+named+so&status=parked, 1",
        "topic=no+topic+can+be+named+so&status=pending, 0",
        "type=test, 7",
        "type=test&status=pending, 3",
        "type=test&status=delivered, 2",
        "type=other, 0",
        "createdFrom=2099-01-01T00:00:00Z, 0",
        "createdTo=2099-01-01T00:00:00%2B02:00, 7",
        "createdFrom=2020-01-01T00:00:00Z&status=blocked, 1",
    })
    void eventsAreFoundBy(String query, int events) throws Exception {
        // Given
        append(topic, "a", 2);
        append("no topic can be named so", "b", 2);
        relays.relay("relay", LONG).drain();
        append(topic, "c", 3);
        // Then
        given().urlEncodingEnabled(false)
                .get("/outbox/events?" + query)
                .then()
                .statusCode(200)
                .body("items.size()", equalTo(events))
                .body("next", nullValue());
    }

    @Test
    void whatARelayWorksOnIsProcessing() throws Exception {
        // Given
        append(topic, "a", 1);
        relays.relay("relay", LONG).worker().claim(RelayWorker.Mode.ORDINARY);
        // Then
        for (String more : List.of("", "&type=test")) {
            given().get("/outbox/events?status=processing" + more)
                    .then()
                    .body("items.status", equalTo(List.of("processing")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&status=pending", "&status=pending&type=test", "&aggregateId=a", "&type=test"})
    void pagesLeadFromOneToTheNextNewestFirst(String query) {
        // Given
        List<String> newestFirst = new ArrayList<>();
        append(topic, "a", 5).forEach(id -> newestFirst.add(0, id.toString()));
        // When
        List<String> seen = new ArrayList<>();
        String next = "";
        int pages = 0;
        while (next != null) {
            JsonPath page = given().get("/outbox/events?limit=2" + query + (next.isEmpty() ? "" : "&after=" + next))
                    .then()
                    .statusCode(200)
                    .extract()
                    .jsonPath();
            seen.addAll(page.getList("items.id"));
            next = page.getString("next");
            pages++;
        }
        // Then
        assertThat(seen).isEqualTo(newestFirst);
        assertThat(pages).isEqualTo(3);
    }

    @Test
    void aRareTopicIsFoundAlthoughAPageLooksAtABoundedNumberOfEvents() {
        // Given
        UUID rare = append(topic, "a", 1).get(0);
        DATABASE.execute("""
                INSERT INTO outbox_log (lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, payload)
                SELECT 0, nextval('outbox_position'), n, clock_timestamp(), gen_random_uuid(), 2, 'common', 'test', 'test', 'b', '{}'
                FROM generate_series(1, 20000) AS n
                """);
        // When
        JsonPath first = given().get("/outbox/events?topic=" + topic)
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
        JsonPath second = given().get("/outbox/events?topic=" + topic + "&after=" + first.getString("next"))
                .then()
                .extract()
                .jsonPath();
        // Then
        assertThat(first.getList("items")).isEmpty();
        assertThat(second.getList("items.id")).containsExactly(rare.toString());
        assertThat(second.getString("next")).isNull();
    }

    @Test
    void anEventIsShownWithItsPayloadAndHeaders() {
        // Given
        UUID id = UUID.randomUUID();
        DATABASE.execute("""
                INSERT INTO outbox (id, topic, payload, headers) VALUES (?, ?, '{"n": 1.50}'::json, '{"traceparent": "00-1"}'::jsonb)
                """, id, topic);
        // Then
        ValidatableResponse event = Operator.event(id).then().statusCode(200);
        event.body("status", equalTo("pending"))
                .body("headers.traceparent", equalTo("00-1"))
                .body("$", hasKey("payload"));
        assertThat(event.extract().asString()).contains("\"payload\":{\"n\": 1.50}");
    }

    @Test
    void aSearchThatTakesTooLongIsRefusedWithAWayOut() throws Exception {
        // Given
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "LOCK TABLE outbox_log IN ACCESS EXCLUSIVE MODE");
            // Then
            assertProblem(given().get("/outbox/events").then(), 422, "search-too-slow");
            assertProblem(Operator.replay("\"aggregateId\":\"a\""), 422, "search-too-slow");
            psql.rollback();
        }
    }

    @Test
    void actionsAreListedNewestFirst() {
        // Given
        for (int lane = 0; lane < 3; lane++) {
            Operator.pause("lane", Integer.toString(lane)).statusCode(200);
        }
        // When
        JsonPath first = given().get("/outbox/actions?limit=2")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath();
        JsonPath second = given().get("/outbox/actions?limit=2&after=" + first.getString("next"))
                .then()
                .extract()
                .jsonPath();
        // Then
        assertThat(first.getList("items.target.target")).containsExactly("2", "1");
        assertThat(second.getList("items.target.target")).containsExactly("0");
        assertThat(second.getString("next")).isNull();
        assertThat(second.getString("items[0].who")).isEqualTo("ada");
        assertThat(second.getString("items[0].actedAt")).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/outbox/events, status=lost, status",
        "/outbox/events, after=xyz, after",
        "/outbox/events, after=MTo6, after",
        "/outbox/events, limit=0, limit",
        "/outbox/events, limit=201, limit",
        "/outbox/events, limit=many, limit",
        "/outbox/events, createdFrom=yesterday, createdFrom",
        "/outbox/events, createdTo=2026-13-01T00:00:00Z, createdTo",
        "/outbox/events, topic=%00, topic",
        "/outbox/actions, after=x, after",
        "/outbox/actions, limit=-1, limit",
    })
    void aParameterThatIsNotUsableIsNamed(String path, String query, String parameter) {
        var answer = given().urlEncodingEnabled(false).get(path + "?" + query).then();
        assertProblem(answer, 400, "bad-parameter");
        answer.body("parameter", equalTo(parameter));
    }

    @Test
    void aTimeThatEndsBeforeItBeginsIsRefused() {
        var answer = given().get("/outbox/events?createdFrom=2026-01-02T00:00:00Z&createdTo=2026-01-01T00:00:00Z")
                .then();
        assertProblem(answer, 422, "contradiction");
        answer.body("field", equalTo("createdTo"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/outbox/pause, `\"scope\":\"all\",\"target\":\"x\"`, target",
                "/outbox/pause, `\"scope\":\"topic\"`, target",
                "/outbox/pause, `\"scope\":\"lane\",\"target\":\"64\"`, target",
                "/outbox/resume, `\"scope\":\"lane\",\"target\":\"x\"`, target",
                "/outbox/replay, `\"dryRun\":true`, aggregateId",
                "/outbox/replay, `\"ids\":[],\"aggregateId\":\"a\"`, ids",
                "/outbox/replay, `\"aggregateId\":\"a\",\"topic\":\"t\"`, topic",
                "/outbox/replay, `\"createdFrom\":\"2026-01-01T00:00:00Z\"`, createdTo",
                "/outbox/replay, `\"createdFrom\":\"2026-01-02T00:00:00Z\",\"createdTo\":\"2026-01-01T00:00:00Z\"`, createdTo",
                "/outbox/replay, `\"createdFrom\":\"today\",\"createdTo\":\"2026-01-01T00:00:00Z\"`, createdFrom",
                "/outbox/replay, `\"ids\":[\"x\"]`, ids[0]",
                "/outbox/replay, `\"ids\":[\"x\"],\"dryRun\":\"yes\"`, dryRun",
                "/outbox/pause, `\"scope\":\"galaxy\"`, scope",
                "/outbox/retry, `\"failureClass\":\"broker\"`, failureClass",
                "/outbox/retry, `\"colour\":\"red\"`, colour",
            })
    void aFieldThatIsNotUsableIsNamed(String path, String fields, String field) {
        var answer = Operator.post(path, Operator.with(fields));
        assertThat(answer.extract().statusCode()).isIn(400, 422);
        assertThat(answer.extract().contentType()).startsWith("application/problem+json");
        assertThat(answer.extract().asString()).contains("\"field\":\"" + field + "\"");
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_action")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"who\":\"ada\",\"why\":\" \"}",
                "{\"who\":\"\",\"why\":\"x\"}",
                "{\"who\":\"ada\",\"why\":\"x\",\"more\":1}",
                "{\"who\":\"a\\u0000\",\"why\":\"x\"}",
                "{\"who\":\"ada\"}",
                "{",
                "",
                "[]"
            })
    void aDeedWithoutNameAndReasonIsRefused(String body) {
        UUID id = append(topic, "a", 1).get(0);
        for (String path : List.of(
                "/outbox/events/" + id + "/retry",
                "/outbox/events/" + id + "/discard",
                "/outbox/aggregates/a/retry",
                "/outbox/pause",
                "/outbox/resume",
                "/outbox/replay")) {
            Operator.post(path, body).statusCode(400).contentType("application/problem+json");
        }
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_action")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "00000000-0000-7000-8000-000000000000", "%00"})
    void anEventThatDoesNotExistIsNotFound(String id) {
        assertProblem(
                given().urlEncodingEnabled(false).get("/outbox/events/" + id).then(), 404, "event-not-found");
        for (String action : List.of("retry", "discard")) {
            var answer = given().urlEncodingEnabled(false)
                    .contentType(ContentType.JSON)
                    .body(Operator.DEED)
                    .post("/outbox/events/" + id + "/" + action)
                    .then();
            assertProblem(answer, 404, "event-not-found");
        }
    }

    @Test
    void anotherMethodOrMediaTypeIsRefused() {
        given().delete("/outbox/events").then().statusCode(405).contentType("application/problem+json");
        given().contentType(ContentType.XML)
                .body("<deed/>")
                .post("/outbox/pause")
                .then()
                .statusCode(415)
                .contentType("application/problem+json");
    }

    @Test
    void theApiDescribesItself() {
        JsonPath api = given().accept(ContentType.JSON)
                .get("/q/openapi?format=json")
                .then()
                .extract()
                .jsonPath();
        assertThat(api.getMap("paths").keySet().stream().map(Object::toString))
                .contains(
                        "/outbox/stats",
                        "/outbox/events",
                        "/outbox/events/{id}",
                        "/outbox/events/{id}/retry",
                        "/outbox/events/{id}/discard",
                        "/outbox/aggregates/{aggregateId}/retry",
                        "/outbox/retry",
                        "/outbox/pause",
                        "/outbox/resume",
                        "/outbox/replay",
                        "/outbox/actions");
        assertThat(api.getString("paths.'/outbox/pause'.post.tags[0]")).isEqualTo("outbox");
    }

    @Test
    void actionsAreCountedAfterTheyAreDone() {
        // Given
        double before = actions();
        // When
        Operator.pause("lane", "1").statusCode(200);
        // Then
        assertThat(actions() - before).isEqualTo(1);
    }

    private double actions() {
        return relays.counters("outbox.actions");
    }
}
