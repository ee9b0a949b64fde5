package dev.outboxlog.outbox;

import static dev.outboxlog.testing.Servers.DATABASE;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import java.util.UUID;

/** What an operator does over HTTP, and where a test looks for what came of it. */
final class Operator {

    static final String DEED = "{\"who\":\"ada\",\"why\":\"a test\"}";

    private Operator() {}

    static ValidatableResponse retry(UUID id) {
        return post("/outbox/events/" + id + "/retry", DEED);
    }

    static ValidatableResponse discard(UUID id) {
        return post("/outbox/events/" + id + "/discard", DEED);
    }

    static ValidatableResponse retryAggregate(String aggregate) {
        return given().contentType(ContentType.JSON)
                .body(DEED)
                .post("/outbox/aggregates/{id}/retry", aggregate)
                .then();
    }

    static ValidatableResponse pause(String scope, String target) {
        return post("/outbox/pause", with("\"scope\":\"" + scope + "\"" + target(target)));
    }

    static ValidatableResponse resume(String scope, String target) {
        return post("/outbox/resume", with("\"scope\":\"" + scope + "\"" + target(target)));
    }

    private static String target(String target) {
        return target == null ? "" : ",\"target\":\"" + target + "\"";
    }

    static ValidatableResponse replay(String fields) {
        return post("/outbox/replay", with(fields));
    }

    /** A deed with more fields. */
    static String with(String fields) {
        return DEED.replace("}", "," + fields + "}");
    }

    static ValidatableResponse post(String path, String body) {
        return given().contentType(ContentType.JSON).body(body).post(path).then();
    }

    static Response event(UUID id) {
        return given().get("/outbox/events/{id}", id);
    }

    /** The audit, oldest first: action, outcome and how many it affected. */
    static java.util.List<String> audit() {
        return DATABASE.rows(
                "SELECT action || ' ' || affected || ' ' || outcome FROM outbox_action ORDER BY action_id",
                row -> row[0].toString());
    }

    static void assertProblem(ValidatableResponse answer, int status, String type) {
        Response response = answer.extract().response();
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(status);
        assertThat(response.contentType()).startsWith("application/problem+json");
        assertThat(response.jsonPath().getString("type")).isEqualTo("urn:outboxlog:problem:" + type);
        assertThat(response.jsonPath().getString("detail")).isNotBlank();
    }
}
