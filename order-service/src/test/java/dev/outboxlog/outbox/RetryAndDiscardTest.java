package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.BadTopic.texts;
import static dev.outboxlog.outbox.Operator.assertProblem;
import static dev.outboxlog.outbox.Operator.audit;
import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import jakarta.inject.Inject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people do to events on hold, also while a relay works on them. */
@QuarkusTest
@TestProfile(RelayOff.class)
class RetryAndDiscardTest {

    @Inject
    TestRelays relays;

    private BadTopic topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = BadTopic.create("retry");
    }

    @Test
    void aParkedEventThatIsRetriedGoesFirstAndThoseBehindFollow() throws Exception {
        // Given
        UUID parked = topic.appendTooLarge("a", 1);
        UUID behind = topic.appendGood("a", 2);
        relays.relay("relay", LONG).drain();
        topic.mend();
        // When
        Operator.retry(parked)
                .statusCode(200)
                .body("outcome", equalTo("retrying"))
                .body("changed", equalTo(true))
                .body("affected", equalTo(1));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(topic.ids()).containsExactly(texts(parked, behind));
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThat(audit()).containsExactly("retry 1 retrying");
        assertThat(DATABASE.text("SELECT who || why FROM outbox_action")).isEqualTo("adaa test");
    }

    @Test
    void oneBehindAnEarlierEventIsRefusedAndTheEarlierOneIsNamed() throws Exception {
        // Given
        UUID parked = topic.appendTooLarge("a", 1);
        UUID behind = topic.appendGood("a", 2);
        relays.relay("relay", LONG).drain();
        // When
        var answer = Operator.retry(behind);
        // Then
        assertProblem(answer, 409, "earlier-event-on-hold");
        answer.body("firstEventId", equalTo(parked.toString()));
        assertThat(status(behind)).isEqualTo("blocked");
        assertThat(audit()).containsExactly("retry 0 refused: earlier-event-on-hold");
    }

    @Test
    void oneThatHasANextAttemptIsTriedAtOnce() throws Exception {
        // Given
        UUID waiting = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        DATABASE.execute(
                "UPDATE outbox_hold SET state = 'retrying', next_attempt_at = clock_timestamp() + interval '1 day'");
        topic.mend();
        relays.relay("relay", LONG).drain();
        assertThat(status(waiting)).isEqualTo("retrying");
        // When
        Operator.retry(waiting).statusCode(200).body("changed", equalTo(true));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(waiting)).isEqualTo("delivered");
    }

    @Test
    void aRetryOfWhatIsDeliveredOrDiscardedChangesNothingAndSaysSo() throws Exception {
        // Given
        UUID delivered = topic.appendGood("a", 1);
        UUID discarded = topic.appendTooLarge("b", 1);
        relays.relay("relay", LONG).drain();
        Operator.discard(discarded).statusCode(200);
        // Then
        Operator.retry(delivered)
                .statusCode(200)
                .body("outcome", equalTo("delivered"))
                .body("changed", equalTo(false))
                .body("affected", equalTo(0));
        Operator.retry(discarded).statusCode(200).body("outcome", equalTo("discarded"));
        assertThat(audit())
                .containsExactly(
                        "discard 1 discarded", "retry 0 nothing to do: delivered", "retry 0 nothing to do: discarded");
    }

    @Test
    void allThatIsParkedOfAnAggregateIsRetriedInOrder() throws Exception {
        // Given
        UUID first = topic.appendTooLarge("a", 1);
        UUID second = topic.appendTooLarge("a", 2);
        UUID third = topic.appendGood("a", 3);
        relays.relay("relay", LONG).drain();
        DATABASE.execute("UPDATE outbox_hold SET state = 'parked' WHERE event_id = ?", second);
        topic.mend();
        // When
        Operator.retryAggregate("a").statusCode(200).body("affected", equalTo(2));
        // Then
        assertThat(List.of(first, second, third))
                .extracting(TestRelays::status)
                .containsExactly("retrying", "blocked", "blocked");
        relays.relay("relay", LONG).drain();
        assertThat(topic.ids()).containsExactly(texts(first, second, third));
        assertProblem(Operator.retryAggregate("a"), 404, "nothing-on-hold");
        assertThat(audit()).containsExactly("retry 2 retrying");
    }

    @Test
    void allThatIsParkedOfATopicIsRetriedAndADryRunOnlySaysSo() throws Exception {
        // Given
        BadTopic other = BadTopic.create("other");
        UUID a = topic.appendTooLarge("a", 1);
        UUID b = topic.appendTooLarge("b", 1);
        UUID elsewhere = other.appendTooLarge("c", 1);
        relays.relay("relay", LONG).drain();
        topic.mend();
        String filter = "\"topic\":\"" + topic.name() + "\",\"failureClass\":\"record\"";
        // When
        var dry = Operator.post("/outbox/retry", Operator.with(filter + ",\"dryRun\":true"));
        // Then
        dry.statusCode(200)
                .body("events", equalTo(2))
                .body("aggregates", equalTo(2))
                .body("firstAggregates", equalTo(List.of("a", "b")))
                .body("changed", equalTo(false));
        assertThat(status(a)).isEqualTo("parked");
        assertThat(audit()).isEmpty();
        // When
        Operator.post("/outbox/retry", Operator.with(filter))
                .statusCode(200)
                .body("events", equalTo(2))
                .body("changed", equalTo(true));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(status(a)).isEqualTo("delivered");
        assertThat(status(b)).isEqualTo("delivered");
        assertThat(status(elsewhere)).isEqualTo("parked");
        Operator.post("/outbox/retry", Operator.with(filter)).statusCode(200).body("changed", equalTo(false));
        assertThat(audit()).containsExactly("retry 2 retrying", "retry 0 nothing to do: none is parked");
    }

    @Test
    void whatWaitsBehindADiscardedEventGoesOnAndTheDiscardedOneIsKept() throws Exception {
        // Given
        UUID parked = topic.appendTooLarge("a", 1);
        UUID behind = topic.appendGood("a", 2);
        relays.relay("relay", LONG).drain();
        // When
        Operator.discard(parked)
                .statusCode(200)
                .body("outcome", equalTo("discarded"))
                .body("changed", equalTo(true));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(topic.ids()).containsExactly(texts(behind));
        assertThat(status(parked)).isEqualTo("discarded");
        Operator.discard(parked).statusCode(200).body("changed", equalTo(false));
        assertThat(audit()).containsExactly("discard 1 discarded", "discard 0 nothing to do: discarded");
    }

    @Test
    void aDiscardWhileARelayHoldsUpTheNextEventLeavesNothingBlocked() throws Exception {
        // Given: the claim has seen that its event must wait
        UUID parked = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        UUID later = topic.appendGood("a", 2);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        // When
        Operator.discard(parked).statusCode(200);
        worker.advance(claim, progress);
        // Then
        assertThat(status(later)).isEqualTo("retrying");
        relays.relay("relay", LONG).drain();
        assertThat(topic.ids()).containsExactly(texts(later));
    }

    @Test
    void whatIsInFlightWhenItIsDiscardedSaysThatItWasDelivered() throws Exception {
        // Given
        UUID event = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        topic.mend();
        Operator.retry(event).statusCode(200);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        // When
        Operator.discard(event).statusCode(200);
        worker.advance(claim, progress);
        // Then
        assertThat(topic.ids()).containsExactly(texts(event));
        assertThat(status(event)).isEqualTo("delivered");
    }

    @Test
    void whatFailsWhileItIsDiscardedStaysDiscarded() throws Exception {
        // Given
        UUID event = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        Operator.retry(event).statusCode(200);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        // When
        Operator.discard(event).statusCode(200);
        worker.advance(claim, progress);
        // Then
        assertThat(status(event)).isEqualTo("discarded");
    }

    @Test
    void theHistoryOfAnEventTellsWhatHappened() throws Exception {
        // Given
        UUID event = topic.appendTooLarge("a", 1);
        relays.relay("relay", LONG).drain();
        // Then
        JsonPath parked = Operator.event(event).then().statusCode(200).extract().jsonPath();
        assertThat(parked.getString("status")).isEqualTo("parked");
        assertThat(parked.getInt("attempts")).isEqualTo(1);
        assertThat(parked.getString("failureClass")).isEqualTo("record");
        assertThat(parked.getString("lastError")).contains("RecordTooLarge");
        assertThat(parked.getString("heldSince")).isNotNull();
        assertThat(parked.getList("deliveries")).isEmpty();
        // When
        topic.mend();
        Operator.retry(event).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        Operator.event(event)
                .then()
                .body("status", equalTo("delivered"))
                .body("deliveries", hasSize(1))
                .body("deliveries[0].replay", equalTo(false))
                .body("deliveries[0].offsets", equalTo(java.util.Map.of(topic.name() + "-0", List.of(0, 0))))
                .body("actions", hasSize(1))
                .body("actions[0].action", equalTo("retry"))
                .body("actions[0].who", equalTo("ada"))
                .body("actions[0].target.event", equalTo(event.toString()));
    }

    @Test
    void theHistoryNamesTheBatchThatAnEventLeftWith() throws Exception {
        // Given: one that was on hold lies within the batch and left alone
        UUID first = topic.appendGood("a", 1);
        UUID held = topic.appendTooLarge("a", 2);
        relays.relay("relay", LONG).drain();
        DATABASE.execute("UPDATE outbox_delivery SET last_position = last_position + 1000000, events = 2");
        topic.mend();
        Operator.retry(held).statusCode(200);
        relays.relay("relay", LONG).drain();
        // Then
        Operator.event(first).then().body("deliveries.offsets", equalTo(List.of(offsets(0, 0))));
        Operator.event(held).then().body("deliveries.offsets", equalTo(List.of(offsets(1, 1))));
    }

    private java.util.Map<String, List<Integer>> offsets(int first, int last) {
        return java.util.Map.of(topic.name() + "-0", List.of(first, last));
    }
}
