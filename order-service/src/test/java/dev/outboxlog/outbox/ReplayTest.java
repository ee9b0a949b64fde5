package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.BadTopic.texts;
import static dev.outboxlog.outbox.Operator.assertProblem;
import static dev.outboxlog.outbox.Operator.audit;
import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Delivered events are sent once more, as they were and in order. */
@QuarkusTest
@TestProfile(SmallReplays.class)
class ReplayTest {

    private static final String BEHIND_ALL = "2099-01-01T00:00:00Z";

    @Inject
    TestRelays relays;

    private BadTopic bad;
    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        bad = BadTopic.create("replay");
        topic = bad.name();
    }

    @Test
    void anAggregateIsSentOnceMoreInOrderWithTheSameBytesAndNewEventsFollow() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        UUID other = append(topic, "b", 1).get(0);
        relays.relay("relay", LONG).drain();
        // When
        Operator.replay("\"aggregateId\":\"a\"")
                .statusCode(200)
                .body("changed", equalTo(true))
                .body("events", equalTo(3))
                .body("aggregates", equalTo(1));
        // Then
        assertThat(ids).extracting(TestRelays::status).containsExactly("retrying", "blocked", "blocked");
        Operator.event(ids.get(0)).then().body("replay", equalTo(true));
        // When
        UUID later = append(topic, "a", 4, "{}");
        relays.relay("relay", LONG).drain();
        // Then
        List<ConsumerRecord<String, String>> records = TOPICS.read(topic).stream()
                .filter(record -> record.key().equals("a"))
                .toList();
        assertThat(TopicReader.ids(records))
                .containsExactly(texts(ids.get(0), ids.get(1), ids.get(2), ids.get(0), ids.get(1), ids.get(2), later));
        assertThat(values(records.subList(0, 3))).isEqualTo(values(records.subList(3, 6)));
        assertThat(TopicReader.ids(TOPICS.read(topic)))
                .filteredOn(other.toString()::equals)
                .hasSize(1);
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThat(audit()).containsExactly("replay 3 retrying");
        Operator.event(ids.get(1))
                .then()
                .body("status", equalTo("delivered"))
                .body("replay", equalTo(false))
                .body("deliveries.replay", equalTo(List.of(false, true)))
                .body("actions", hasSize(1));
    }

    @Test
    void anEventCanBeReplayedAgainAndAgain() throws Exception {
        // Given
        UUID id = append(topic, "a", 1).get(0);
        relays.relay("relay", LONG).drain();
        // When
        for (int n = 0; n < 3; n++) {
            Operator.replay("\"ids\":[\"" + id + "\"]").statusCode(200).body("events", equalTo(1));
            relays.relay("relay", LONG).drain();
        }
        // Then
        assertThat(TOPICS.read(topic)).hasSize(4);
        Operator.event(id).then().body("deliveries", hasSize(4));
    }

    @Test
    void aTimeIsReplayedWithAFilter() throws Exception {
        // Given
        UUID early = append(topic, "a", 1, "{}");
        String between = DATABASE.text(
                "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')");
        UUID late = append(topic, "a", 2, "{}");
        String other = "other-" + topic;
        TOPICS.create(other, 1, Map.of());
        UUID elsewhere = append(other, "b", 1).get(0);
        relays.relay("relay", LONG).drain();
        // When
        Operator.replay(time(between, BEHIND_ALL) + ",\"topic\":\"" + topic + "\",\"type\":\"test\"")
                .statusCode(200)
                .body("events", equalTo(1));
        // Then
        assertThat(List.of(early, late, elsewhere))
                .extracting(TestRelays::status)
                .containsExactly("delivered", "retrying", "delivered");
    }

    @Test
    void aDryRunSaysWhatWouldHappenAndChangesNothing() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 2);
        UUID pending = UUID.randomUUID();
        relays.relay("relay", LONG).drain();
        // When
        var answer = Operator.replay(
                "\"ids\":[\"" + ids.get(0) + "\",\"" + ids.get(1) + "\",\"" + pending + "\"],\"dryRun\":true");
        // Then
        answer.statusCode(200)
                .body("dryRun", equalTo(true))
                .body("changed", equalTo(false))
                .body("events", equalTo(2))
                .body("notDelivered", equalTo(1))
                .body("firstAggregates", equalTo(List.of("a")))
                .body("forgotten", equalTo(0));
        assertThat(ids).extracting(TestRelays::status).containsOnly("delivered");
        assertThat(audit()).isEmpty();
    }

    @Test
    void aDiscardedReplayJustEnds() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 2);
        relays.relay("relay", LONG).drain();
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200);
        // When
        Operator.discard(ids.get(0)).statusCode(200).body("outcome", equalTo("delivered"));
        // Then
        assertThat(ids).extracting(TestRelays::status).containsExactly("delivered", "retrying");
        relays.relay("relay", LONG).drain();
        assertThat(TopicReader.ids(TOPICS.read(topic))).containsExactly(texts(ids.get(0), ids.get(1), ids.get(1)));
        assertThat(audit()).containsExactly("replay 2 retrying", "discard 1 replay ended");
    }

    @Test
    void aReplayThatIsDiscardedWhileItFailsStaysDelivered() throws Exception {
        // Given: the topic no longer takes what it took
        UUID id = append(topic, "a", 1, "\"" + "x".repeat(100) + "\"");
        relays.relay("relay", LONG).drain();
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var failed = claim.lanes().stream().map(ReplayTest::parked).toList();
        // When
        Operator.discard(id).statusCode(200);
        worker.advance(claim, failed);
        // Then
        assertThat(status(id)).isEqualTo("delivered");
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
    }

    @Test
    void aReplayThatEndsWhileAnAdvanceWaitsForItsLaneStaysDelivered() throws Exception {
        // Given: somebody who ends the replay has the lane, and has not committed yet
        UUID id = append(topic, "a", 1, "{}");
        relays.relay("relay", LONG).drain();
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        var failed = claim.lanes().stream().map(ReplayTest::parked).toList();
        CompletableFuture<?> advance;
        try (var discard = DATABASE.connect()) {
            discard.setAutoCommit(false);
            Database.execute(discard, "SELECT FROM outbox_lane WHERE lane = ? FOR UPDATE", Lanes.of("a"));
            Database.execute(discard, "DELETE FROM outbox_hold WHERE event_id = ?", id);
            // When
            advance = CompletableFuture.runAsync(() -> {
                try {
                    worker.advance(claim, failed);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            TestRelays.awaitOneThatWaitsForALock();
            discard.commit();
        }
        advance.join();
        // Then
        assertThat(status(id)).isEqualTo("delivered");
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
    }

    @Test
    void aReplayWhileAClaimHasNewEventsOfTheAggregateLosesNoneAndKeepsEachInOrder() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 2);
        relays.relay("relay", LONG).drain();
        UUID claimed = append(topic, "a", 3, "{}");
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(RelayWorker.Mode.ORDINARY);
        // When
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200).body("events", equalTo(2));
        UUID later = append(topic, "a", 4, "{}");
        worker.advance(claim, worker.publish(worker.publication(claim)));
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(TopicReader.ids(TOPICS.read(topic)))
                .containsExactly(texts(ids.get(0), ids.get(1), claimed, ids.get(0), ids.get(1), later));
    }

    @Test
    void aReplayInFrontOfAParkedEventDoesNotCarryThoseBehindItAlong() throws Exception {
        // Given
        UUID first = append(topic, "a", 1, "{}");
        relays.relay("relay", LONG).drain();
        UUID parked = bad.appendTooLarge("a", 2);
        UUID behind = append(topic, "a", 3, "{}");
        relays.relay("relay", LONG).drain();
        // When
        Operator.replay("\"ids\":[\"" + first + "\"]").statusCode(200);
        assertProblem(Operator.retry(parked), 409, "earlier-event-on-hold");
        relays.relay("relay", LONG).drain();
        // Then
        assertThat(TopicReader.ids(TOPICS.read(topic))).containsExactly(texts(first, first));
        assertThat(List.of(first, parked, behind))
                .extracting(TestRelays::status)
                .containsExactly("delivered", "parked", "blocked");
    }

    @Test
    void whatIsNotDeliveredOrOnHoldIsNotReplayed() throws Exception {
        // Given
        UUID delivered = append(topic, "a", 1, "{}");
        relays.relay("relay", LONG).drain();
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200);
        append(topic, "a", 2, "{}");
        // Then
        Operator.replay("\"aggregateId\":\"a\"")
                .statusCode(200)
                .body("events", equalTo(0))
                .body("changed", equalTo(false));
        assertThat(status(delivered)).isEqualTo("retrying");
        assertThat(audit()).containsExactly("replay 1 retrying", "replay 0 nothing to do: none is delivered");
    }

    @Test
    void eventsWhoseIdsConsumersMayHaveForgottenAreRefusedUnlessThePersonInsists() throws Exception {
        // Given
        UUID old = timeOrdered(Instant.now().minus(31, ChronoUnit.DAYS));
        DATABASE.execute(
                "INSERT INTO outbox (id, topic, aggregate_id, payload) VALUES (?, ?, 'a', '{}'::json)", old, topic);
        relays.relay("relay", LONG).drain();
        String ids = "\"ids\":[\"" + old + "\"]";
        // Then
        assertProblem(Operator.replay(ids), 422, "ids-forgotten");
        Operator.replay(ids + ",\"dryRun\":true").statusCode(200).body("forgotten", equalTo(1));
        assertThat(status(old)).isEqualTo("delivered");
        Operator.replay(ids + ",\"evenIfForgotten\":true").statusCode(200).body("events", equalTo(1));
        assertThat(status(old)).isEqualTo("retrying");
    }

    @Test
    void tooManyEventsAreRefusedWithTheirNumber() throws Exception {
        // Given
        append(topic, "a", SmallReplays.MOST + 2);
        relays.relay("relay", LONG).drain();
        // Then
        var answer = Operator.replay(time("2020-01-01T00:00:00Z", BEHIND_ALL));
        assertProblem(answer, 422, "replay-too-large");
        answer.body("events", equalTo(SmallReplays.MOST + 2)).body("most", equalTo(SmallReplays.MOST));
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
    }

    private static LaneProgress parked(ClaimedLane lane) {
        List<Hold> holds = lane.dueHolds().stream()
                .map(event -> new Hold(
                        event.lane(),
                        event.position(),
                        event.id(),
                        event.aggregateId(),
                        Hold.State.PARKED,
                        1,
                        null,
                        FailureClass.RECORD,
                        "too large"))
                .toList();
        assertThat(holds).hasSize(1);
        return new LaneProgress(lane.lane(), lane.epoch(), lane.cursor(), true, List.of(), holds, List.of());
    }

    private static String time(String from, String to) {
        return "\"createdFrom\":\"" + from + "\",\"createdTo\":\"" + to + "\"";
    }

    private static UUID timeOrdered(Instant time) {
        return new UUID(
                time.toEpochMilli() << 16 | 0x7000,
                0x8000000000000000L | UUID.randomUUID().getLeastSignificantBits() >>> 2);
    }

    private static List<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }
}
