package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboxlog.local.testing.TopicReader;
import dev.outboxlog.outbox.RelayWorker.Cycle;
import dev.outboxlog.outbox.RelayWorker.Mode;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An event that kills whoever delivers it is found and parked; its neighbours are delivered. */
@QuarkusTest
@TestProfile(RelayOff.class)
class CrashLoopTest {

    private static final int SUSPECT_AFTER = 2;
    private static final int PARK_AFTER = 5;

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "crash-loop-" + UUID.randomUUID();
        TOPICS.create(topic, 1, Map.of());
    }

    @Test
    void aLaneWhoseClaimsDoNotComeBackIsLeftToCarefulClaimsOfOneEvent() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        loseClaims(SUSPECT_AFTER, Mode.ORDINARY);
        // Then
        assertThat(relay.cycle()).isEqualTo(Cycle.IDLE);
        assertThat(relay.worker().seesSuspects()).isTrue();
        var careful = relay.worker().claim(Mode.CAREFUL);
        assertThat(careful.lanes())
                .singleElement()
                .satisfies(lane ->
                        assertThat(lane.events()).extracting(StoredEvent::id).containsExactly(ids.get(0)));
    }

    @Test
    void theEventsThatWereInHandGoOneByOneAndThoseAfterThemTogetherAgain() throws Exception {
        // Given
        List<UUID> inHand = append(topic, "a", 3);
        var relay = relays.relay("relay", TestRelays.LONG);
        loseClaims(SUSPECT_AFTER, Mode.ORDINARY);
        relay.careful();
        List<UUID> later = List.of(append(topic, "a", 4, "{}"), append(topic, "a", 5, "{}"));
        // When
        relay.careful();
        assertThat(relay.cycle()).isEqualTo(Cycle.IDLE);
        relay.careful();
        // Then
        assertThat(inHand).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        assertThat(later).allSatisfy(id -> assertThat(status(id)).isEqualTo("pending"));
        assertThat(relay.careful()).isEqualTo(Cycle.IDLE);
        assertThat(relay.worker().seesSuspects()).isFalse();
        relay.drain();
        assertThat(later).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
    }

    @Test
    void anEventWhoseClaimsNeverComeBackIsParkedAndItsNeighboursFlow() throws Exception {
        // Given
        UUID good = append(topic, "a", 1).get(0);
        UUID killer = append(topic, "a", 2, "{\"kills\":true}");
        UUID behind = append(topic, "a", 3, "{}");
        UUID neighbour = append(topic, inTheLaneOf("a"), 1, "{}");
        var relay = relays.relay("relay", TestRelays.LONG);
        loseClaims(SUSPECT_AFTER, Mode.ORDINARY);
        assertThat(relay.careful()).isEqualTo(Cycle.MOVED);
        assertThat(status(good)).isEqualTo("delivered");
        // When
        loseClaims(PARK_AFTER, Mode.CAREFUL);
        relay.careful();
        // Then
        assertThat(status(killer)).isEqualTo("parked");
        assertThat(DATABASE.text("SELECT failure_class FROM outbox_hold WHERE event_id = ?", killer))
                .isEqualTo("relay");
        relay.careful();
        relay.careful();
        assertThat(status(behind)).isEqualTo("blocked");
        assertThat(status(neighbour)).isEqualTo("delivered");
        assertThat(TopicReader.ids(TOPICS.read(topic))).doesNotContain(killer.toString());
        assertThat(
                        DATABASE.number(
                                "SELECT count(*) FROM outbox_lane WHERE careful_until IS NOT NULL OR claims_without_progress > 0"))
                .isZero();
    }

    @Test
    void aHeldEventThatKillsWhoeverRetriesItIsParked() throws Exception {
        // Given
        UUID killer = append(topic, "a", 1, "{}");
        DATABASE.execute("""
                INSERT INTO outbox_hold (lane, position, event_id, aggregate_id, state, attempts, next_attempt_at)
                SELECT lane, position, id, aggregate_id, 'retrying', 1, clock_timestamp() FROM outbox WHERE id = ?
                """, killer);
        DATABASE.execute(
                "UPDATE outbox_lane SET cursor = (SELECT max(position) FROM outbox_log) WHERE lane = ?", Lanes.of("a"));
        UUID neighbour = append(topic, inTheLaneOf("a"), 1, "{}");
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        loseClaims(SUSPECT_AFTER, Mode.ORDINARY);
        loseClaims(PARK_AFTER - SUSPECT_AFTER, Mode.CAREFUL);
        relay.careful();
        // Then
        assertThat(status(killer)).isEqualTo("parked");
        relay.careful();
        assertThat(status(neighbour)).isEqualTo("delivered");
    }

    @Test
    void lanesThatWereOnlyInTheSameClaimAreDeliveredAndTrustedAgain() throws Exception {
        // Given
        UUID killer = append(topic, "a", 1, "{}");
        UUID innocent = append(topic, inAnotherLaneThan("a"), 1, "{}");
        var relay = relays.relay("relay", TestRelays.LONG);
        loseClaims(SUSPECT_AFTER, Mode.ORDINARY);
        // When: careful claims take one lane each, the oldest first; only the killer's are lost
        for (int lost = SUSPECT_AFTER; lost < PARK_AFTER; lost++) {
            var claim = relay.worker().claim(Mode.CAREFUL);
            assertThat(claim.lanes()).extracting(ClaimedLane::lane).containsExactly(Lanes.of("a"));
            relay.careful();
            TestRelays.expireLeases();
        }
        relay.careful();
        // Then
        assertThat(status(killer)).isEqualTo("parked");
        assertThat(status(innocent)).isEqualTo("delivered");
    }

    @Test
    void aBrokerThatIsAwayMakesNothingSuspect() throws Exception {
        // Given
        UUID id = append(topic, "a", 1, "{}");
        try (var unreachable = relays.unreachableProducer()) {
            var relay = relays.relay("relay", TestRelays.LONG, unreachable);
            // When
            for (int failed = 0; failed <= SUSPECT_AFTER; failed++) {
                assertThat(relay.cycle()).isEqualTo(Cycle.FAILED);
            }
        }
        // Then
        relays.relay("other", TestRelays.LONG).drain();
        assertThat(status(id)).isEqualTo("delivered");
    }

    /** Claims and dies, so many times, each after the lease of the one before has run out. */
    private void loseClaims(int times, Mode mode) {
        for (int lost = 0; lost < times; lost++) {
            relays.relay("dies-" + lost, TestRelays.LONG).worker().claim(mode);
            TestRelays.expireLeases();
        }
    }

    private static String inTheLaneOf(String aggregate) {
        return TestRelays.aggregate(other -> Lanes.of(other) == Lanes.of(aggregate));
    }

    private static String inAnotherLaneThan(String aggregate) {
        return TestRelays.aggregate(other -> Lanes.of(other) != Lanes.of(aggregate));
    }
}
