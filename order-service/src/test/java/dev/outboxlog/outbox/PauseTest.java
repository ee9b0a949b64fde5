package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.BadTopic.texts;
import static dev.outboxlog.outbox.Operator.assertProblem;
import static dev.outboxlog.outbox.Operator.audit;
import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;

import dev.outboxlog.local.testing.Database;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is paused waits and then follows in order; everything else flows, whatever a relay does at the same moment. */
@QuarkusTest
@TestProfile(RelayOff.class)
@Timeout(60) // a relay that finds work which it may not do would go on for ever
class PauseTest {

    @Inject
    TestRelays relays;

    private BadTopic topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = BadTopic.create("pause");
    }

    @Test
    void nothingIsClaimedWhileAllIsPaused() throws Exception {
        // Given
        UUID event = topic.appendGood("a", 1);
        // When
        Operator.pause("all", null).statusCode(200).body("outcome", equalTo("paused"));
        // Then
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
        assertThat(status(event)).isEqualTo("pending");
        Operator.pause("all", null).statusCode(200).body("changed", equalTo(false));
        // When
        Operator.resume("all", null).statusCode(200).body("outcome", equalTo("resumed"));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(event)).isEqualTo("delivered");
        Operator.resume("all", null).statusCode(200).body("changed", equalTo(false));
        assertThat(audit())
                .containsExactly(
                        "pause 1 paused",
                        "pause 0 nothing to do: paused",
                        "resume 1 resumed",
                        "resume 0 nothing to do: not paused");
    }

    @Test
    void aPausedLaneIsNotClaimedAndOthersAre() throws Exception {
        // Given
        UUID paused = topic.appendGood("a", 1);
        UUID free = topic.appendGood(inAnotherLane("a"), 1);
        // When
        Operator.pause("lane", Integer.toString(Lanes.of("a"))).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(paused)).isEqualTo("pending");
        assertThat(status(free)).isEqualTo("delivered");
        given().get("/outbox/stats")
                .then()
                .body("lanes.paused", equalTo(List.of(Lanes.of("a"))))
                .body("pauses", hasSize(1))
                .body("pauses[0].who", equalTo("ada"));
    }

    @Test
    void aPausedTopicStopsNoOtherEventOfItsLaneAndFollowsInOrder() throws Exception {
        // Given
        BadTopic other = BadTopic.create("other");
        Operator.pause("topic", topic.name()).statusCode(200);
        UUID first = topic.appendGood("a", 1);
        UUID second = topic.appendGood("a", 2);
        UUID free = other.appendGood(inTheLaneOf("a"), 1);
        // When
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(free)).isEqualTo("delivered");
        assertThat(List.of(first, second)).extracting(TestRelays::status).containsOnly("blocked");
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
        // When
        Operator.resume("topic", topic.name()).statusCode(200);
        UUID third = topic.appendGood("a", 3);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(topic.ids()).containsExactly(texts(first, second, third));
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
    }

    @Test
    void anEventBehindAPausedOneOfItsAggregateWaitsAlthoughItsOwnTopicFlows() throws Exception {
        // Given
        BadTopic other = BadTopic.create("other");
        Operator.pause("topic", topic.name()).statusCode(200);
        UUID before = other.appendGood("a", 1);
        UUID paused = topic.appendGood("a", 2);
        UUID behind = other.appendGood("a", 3);
        // When
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(List.of(before, paused, behind))
                .extracting(TestRelays::status)
                .containsExactly("delivered", "blocked", "blocked");
        // When
        Operator.resume("topic", topic.name()).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(other.ids()).containsExactly(texts(before, behind));
        assertThat(topic.ids()).containsExactly(texts(paused));
    }

    @Test
    void whatIsDueStopsAtTheFirstPausedEventOfItsAggregate() throws Exception {
        // Given: the first is parked, so that all are on hold; the second's topic is paused
        BadTopic other = BadTopic.create("other");
        UUID first = other.appendTooLarge("a", 1);
        UUID second = topic.appendGood("a", 2);
        UUID third = other.appendGood("a", 3);
        relays.relay("relay", LONG).drain();
        Operator.pause("topic", topic.name()).statusCode(200);
        other.mend();
        // When
        Operator.retry(first).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(List.of(first, second, third))
                .extracting(TestRelays::status)
                .containsExactly("delivered", "blocked", "blocked");
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
        // When
        Operator.resume("topic", topic.name()).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(other.ids()).containsExactly(texts(first, third));
        assertThat(status(second)).isEqualTo("delivered");
    }

    @Test
    void aPausedAggregateWaitsAndItsRetryIsRefusedUntilItIsResumed() throws Exception {
        // Given
        Operator.pause("aggregate", "a").statusCode(200);
        UUID paused = topic.appendGood("a", 1);
        UUID free = topic.appendGood("b", 1);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(paused)).isEqualTo("blocked");
        assertThat(status(free)).isEqualTo("delivered");
        assertProblem(Operator.retry(paused), 409, "paused");
        assertProblem(Operator.retryAggregate("a"), 409, "paused");
        // When
        Operator.resume("aggregate", "a").statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(paused)).isEqualTo("delivered");
        assertThat(audit())
                .containsExactly(
                        "pause 1 paused", "retry 0 refused: paused", "retry 0 refused: paused", "resume 1 resumed");
    }

    @Test
    void whatWasClaimedBeforeThePauseStillLeavesAndNothingAfterIt() throws Exception {
        // Given
        UUID claimed = topic.appendGood("a", 1);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        // When
        Operator.pause("aggregate", "a").statusCode(200);
        UUID later = topic.appendGood("a", 2);
        worker.advance(claim, worker.publish(worker.publication(claim)));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(claimed)).isEqualTo("delivered");
        assertThat(status(later)).isEqualTo("blocked");
    }

    @Test
    void aResumeWhileAClaimHoldsAnEventUpForThePauseLeavesNothingBlocked() throws Exception {
        // Given: the claim has seen the pause, and has not written yet what it holds up
        Operator.pause("topic", topic.name()).statusCode(200);
        UUID first = topic.appendGood("a", 1);
        UUID second = topic.appendGood("a", 2);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        // When
        Operator.resume("topic", topic.name()).statusCode(200);
        worker.advance(claim, progress);
        // Then
        assertThat(List.of(first, second)).extracting(TestRelays::status).containsExactly("retrying", "blocked");
        relays.relay("relay", LONG).drain();
        assertThat(topic.ids()).containsExactly(texts(first, second));
    }

    @Test
    void aResumeWaitsForAnAdvanceThatIsAboutToHoldAnEventUp() throws Exception {
        // Given: an advance that has written, and has not committed yet
        Operator.pause("aggregate", "a").statusCode(200);
        UUID event = topic.appendGood("a", 1);
        relays.relay("relay", LONG).drain();
        CompletableFuture<ValidatableResponse> resume;
        try (var advance = DATABASE.connect()) {
            advance.setAutoCommit(false);
            Database.execute(advance, "SELECT FROM outbox_lane WHERE lane = ? FOR UPDATE", Lanes.of("a"));
            Database.execute(advance, "DELETE FROM outbox_hold WHERE event_id = ?", event);
            Database.execute(advance, """
                    INSERT INTO outbox_hold (lane, position, event_id, aggregate_id, state, attempts)
                    SELECT lane, position, id, aggregate_id, 'blocked', 0 FROM outbox_log WHERE id = ?
                    """, event);
            // When
            resume = CompletableFuture.supplyAsync(() -> Operator.resume("aggregate", "a"));
            TestRelays.awaitOneThatWaitsForALock();
            advance.commit();
        }
        resume.join().statusCode(200);
        // Then
        assertThat(status(event)).isEqualTo("retrying");
    }

    @Test
    void anEventThatFailsAfterItsTopicWasPausedWaitsForTheResume() throws Exception {
        // Given: a claim whose event goes back on hold after the pause
        UUID event = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        Operator.retry(event).statusCode(200);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim)).stream()
                .map(lane -> retryingAtOnce(lane))
                .toList();
        // When
        Operator.pause("topic", topic.name()).statusCode(200);
        worker.advance(claim, progress);
        // Then
        assertThat(status(event)).isEqualTo("blocked");
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
        // When
        topic.mend();
        Operator.resume("topic", topic.name()).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(event)).isEqualTo("delivered");
    }

    @Test
    void aPauseStopsWhatHasANextAttempt() throws Exception {
        // Given
        UUID event = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        Operator.retry(event).statusCode(200);
        // When
        Operator.pause("aggregate", "a").statusCode(200);
        // Then
        assertThat(status(event)).isEqualTo("blocked");
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
    }

    @Test
    void whatIsBlockedForAPauseIsListed() throws Exception {
        // Given
        Operator.pause("topic", topic.name()).statusCode(200);
        UUID event = topic.appendGood("a", 1);
        relays.relay("relay", LONG).drain();
        // Then
        given().queryParam("status", "blocked")
                .queryParam("topic", topic.name())
                .get("/outbox/events")
                .then()
                .statusCode(200)
                .body("items.id", hasItem(event.toString()));
    }

    private static LaneProgress retryingAtOnce(LaneProgress lane) {
        List<Hold> retrying = lane.holds().stream()
                .map(hold -> new Hold(
                        hold.lane(),
                        hold.position(),
                        hold.eventId(),
                        hold.aggregateId(),
                        Hold.State.RETRYING,
                        hold.attempts(),
                        java.time.Duration.ZERO,
                        FailureClass.TOPIC,
                        hold.error()))
                .toList();
        assertThat(retrying).hasSize(1);
        return new LaneProgress(
                lane.lane(), lane.epoch(), lane.cursor(), lane.release(), lane.deliveries(), retrying, lane.freed());
    }

    private static String inTheLaneOf(String aggregate) {
        return aggregate(Lanes.of(aggregate), true);
    }

    private static String inAnotherLane(String aggregate) {
        return aggregate(Lanes.of(aggregate), false);
    }

    private static String aggregate(int lane, boolean same) {
        return IntStream.range(0, 10_000)
                .mapToObj(n -> "b" + n)
                .filter(aggregate -> (Lanes.of(aggregate) == lane) == same)
                .findFirst()
                .orElseThrow();
    }
}
