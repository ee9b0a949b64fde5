package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many bad events neither hold up the good ones nor fill the memory. */
@QuarkusTest
@TestProfile(RelayOff.class)
class ManyHoldsTest {

    private static final int BAD_OF_EACH_LANE = 1_000;
    private static final int EVENTS_OF_EACH_LANE = 100; // as TestRelays claims
    private static final int BYTES_OF_EACH_LANE = 1_000_000;

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "many-" + UUID.randomUUID();
        TOPICS.create(topic, 1, Map.of());
    }

    @Test
    void goodEventsBehindAThousandBadOnesOfEveryLaneAreDeliveredAtOnce() throws Exception {
        // Given
        hold(BAD_OF_EACH_LANE, "clock_timestamp() + interval '1 hour'", "{}");
        DATABASE.execute("""
                INSERT INTO outbox (id, topic, aggregate_id, payload)
                SELECT gen_random_uuid(), ?, 'good-' || n, '{}'::json FROM generate_series(1, 500) AS n
                """, topic);
        // When: one claim of all lanes
        relays.relay("relay", LONG).cycle();
        // Then
        assertThat(TOPICS.read(topic)).hasSize(500);
        assertThat(relays.relay("relay", LONG).cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
    }

    @Test
    void aClaimTakesNoMoreDueHoldsThanItMayHaveOfALane() {
        // Given
        hold(BAD_OF_EACH_LANE, "clock_timestamp()", "{}");
        // When
        var claim = relays.relay("relay", LONG).worker().claim(RelayWorker.Mode.ORDINARY);
        // Then
        assertThat(claim.lanes())
                .hasSize(Lanes.COUNT)
                .allSatisfy(lane -> assertThat(lane.dueHolds()).hasSize(EVENTS_OF_EACH_LANE));
    }

    @Test
    void aClaimTakesNoMoreBytesOfDueHoldsThanItMayHaveOfALane() {
        // Given
        int large = 300_000;
        hold(10, "clock_timestamp()", "\"" + "x".repeat(large) + "\"");
        // When
        var claim = relays.relay("relay", LONG).worker().claim(RelayWorker.Mode.ORDINARY);
        // Then: the one that exceeds the bound is the last
        assertThat(claim.lanes())
                .hasSize(Lanes.COUNT)
                .allSatisfy(lane -> assertThat(lane.dueHolds()).hasSize(BYTES_OF_EACH_LANE / large + 1));
    }

    @Test
    void aLongLineOfOneAggregateLeavesRoomForOthersInTheNextClaim() throws Exception {
        // Given: an aggregate with more events on hold than a claim takes, and another one of its lane
        hold(EVENTS_OF_EACH_LANE * 2, "clock_timestamp()", "{}");
        int lane = 7;
        DATABASE.execute(
                "UPDATE outbox_hold SET aggregate_id = 'long' WHERE lane = ? AND aggregate_id NOT LIKE '%-200'", lane);
        DATABASE.execute("""
                UPDATE outbox_hold SET state = 'blocked', next_attempt_at = NULL
                WHERE lane = ? AND aggregate_id = 'long' AND position > (SELECT min(position) FROM outbox_hold WHERE lane = ?)
                """, lane, lane);
        DATABASE.execute(
                "UPDATE outbox_hold SET next_attempt_at = clock_timestamp() WHERE lane = ? AND aggregate_id <> 'long'",
                lane);
        DATABASE.execute("DELETE FROM outbox_hold WHERE lane <> ?", lane);
        // When
        var relay = relays.relay("relay", LONG);
        relay.cycle();
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold WHERE aggregate_id <> 'long'"))
                .isEqualTo(1);
        relay.cycle();
        // Then
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold WHERE aggregate_id <> 'long'"))
                .isZero();
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold WHERE aggregate_id = 'long'"))
                .isPositive();
    }

    /** Puts so many events of each lane on hold, each of an aggregate of its own, and passes them. */
    private void hold(int ofEachLane, String nextAttempt, String payload) {
        DATABASE.execute("""
                INSERT INTO outbox_log (
                  lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, payload)
                SELECT lane, nextval('outbox_position'), 1, clock_timestamp(), gen_random_uuid(), octet_length(?), ?, 'test', 'test',
                       'bad-' || lane || '-' || n, ?::json
                FROM generate_series(1, ?) AS n CROSS JOIN generate_series(0, 63) AS lane
                """, payload, topic, payload, ofEachLane);
        DATABASE.execute("""
                INSERT INTO outbox_hold (lane, position, event_id, aggregate_id, state, attempts, next_attempt_at, failure_class, last_error)
                SELECT lane, position, id, aggregate_id, 'retrying', 1, %s, 'topic', 'a test' FROM outbox_log ORDER BY position
                """.formatted(nextAttempt));
        DATABASE.execute(
                "UPDATE outbox_lane l SET cursor = (SELECT max(position) FROM outbox_log e WHERE e.lane = l.lane)");
    }
}
