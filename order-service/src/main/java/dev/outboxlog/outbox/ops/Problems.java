package dev.outboxlog.outbox.ops;

import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.time.Duration;

/** Errors of this API as RFC 9457 problems with stable types; each says what to do. */
final class Problems {

    private static final String TYPE = "urn:outboxlog:problem:";
    private static final int UNPROCESSABLE_CONTENT = 422;

    private Problems() {}

    static HttpProblem eventNotFound() {
        return problem(Status.NOT_FOUND.getStatusCode(), "event-not-found", "There is no such event")
                .withDetail("It was never appended, or it was removed after its retention.")
                .build();
    }

    static HttpProblem nothingOnHold(String aggregateId) {
        return problem(Status.NOT_FOUND.getStatusCode(), "nothing-on-hold", "Nothing of this aggregate is on hold")
                .withDetail("Its events are delivered or about to be.")
                .with("aggregateId", aggregateId)
                .build();
    }

    static HttpProblem behind(String firstEventId) {
        return problem(Status.CONFLICT.getStatusCode(), "earlier-event-on-hold", "An earlier event must go first")
                .withDetail(
                        "Retry or discard event " + firstEventId + " first: it is the oldest of its aggregate on hold.")
                .with("firstEventId", firstEventId)
                .build();
    }

    static HttpProblem paused(String scope, String target) {
        return problem(Status.CONFLICT.getStatusCode(), "paused", "A pause is in force")
                .withDetail("The " + scope + " " + target + " is paused; resume it first.")
                .with("scope", scope)
                .with("target", target)
                .build();
    }

    /**
     * @param parameter of the query
     */
    static HttpProblem badParameter(String parameter, String detail) {
        return problem(Status.BAD_REQUEST.getStatusCode(), "bad-parameter", "A query parameter is not usable")
                .withDetail(parameter + ": " + detail)
                .with("parameter", parameter)
                .build();
    }

    /**
     * @param field of the body
     */
    static HttpProblem badField(String field, String detail) {
        return problem(Status.BAD_REQUEST.getStatusCode(), "bad-body", "A field is not usable")
                .withDetail(field + ": " + detail)
                .with("field", field)
                .build();
    }

    /** Each value is right, but not together with the others. */
    static HttpProblem contradiction(String field, String detail) {
        return problem(UNPROCESSABLE_CONTENT, "contradiction", "The values do not go together")
                .withDetail(field + ": " + detail)
                .with("field", field)
                .build();
    }

    static HttpProblem searchTooSlow() {
        return problem(UNPROCESSABLE_CONTENT, "search-too-slow", "The search takes too long")
                .withDetail(
                        "Narrow the time with createdFrom and createdTo, or ask for one aggregateId. If that does not help, the"
                                + " database is busy.")
                .build();
    }

    static HttpProblem replayTooLarge(long events, boolean exact, int most) {
        return problem(UNPROCESSABLE_CONTENT, "replay-too-large", "Too many events for one replay")
                .withDetail(
                        (exact ? "" : "At least ") + events + " events match, and one replay takes at most " + most
                                + ". Name a shorter time and replay one part after the other, or raise outbox.replay.max-events.")
                .with("events", events)
                .with("most", most)
                .build();
    }

    static HttpProblem forgotten(long events, Duration window) {
        return problem(UNPROCESSABLE_CONTENT, "ids-forgotten", "Consumers may no longer remember the ids")
                .withDetail(
                        events + " of the events are older than outbox.replay.dedup-window (" + window
                                + "): consumers may apply or park them instead of skipping them. Leave them out, or say evenIfForgotten.")
                .with("forgotten", events)
                .build();
    }

    private static HttpProblem.Builder problem(int status, String type, String title) {
        return HttpProblem.builder()
                .withType(URI.create(TYPE + type))
                .withTitle(title)
                .withStatus(status);
    }
}
