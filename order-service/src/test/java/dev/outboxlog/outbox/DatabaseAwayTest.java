package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.LONG;
import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import dev.outboxlog.outbox.RelayWorker.Mode;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a claim when the database goes away at each of its steps: what was published is written, or published once more. */
@QuarkusTest
@TestProfile(RelayOff.class)
@Timeout(60)
class DatabaseAwayTest {

    private static final String RELAY_SESSIONS =
            "FROM pg_stat_activity WHERE application_name = 'order-service relay' AND datname = current_database()";

    /** Shorter than a statement that waits takes. */
    private static final Duration SHORT = Duration.ofSeconds(1);

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "database-away-" + UUID.randomUUID();
        TOPICS.create(topic, 1, Map.of());
    }

    @Test
    void aDeliveryIsWrittenOverANewConnectionWhenThoseOfTheRelayAreCut() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        // When
        cutTheRelaysSessions();
        // Then
        assertThat(worker.advance(claim, progress)).containsExactly(Lanes.of("a"));
        assertDeliveredOnce(ids);
    }

    @Test
    void aDeliveryIsWrittenWhenTheSessionIsCutWhileItWrites() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        var worker = relays.relay("relay", LONG).worker();
        var claim = worker.claim(Mode.ORDINARY);
        var progress = worker.publish(worker.publication(claim));
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "SELECT FROM outbox_lane WHERE lane = ? FOR UPDATE", Lanes.of("a"));
            CompletableFuture<Set<Integer>> written = CompletableFuture.supplyAsync(() -> {
                try {
                    return worker.advance(claim, progress);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            TestRelays.awaitOneThatWaitsForALock();
            // When
            cutTheRelaysSessions();
            psql.rollback();
            // Then
            assertThat(written.get()).containsExactly(Lanes.of("a"));
        }
        assertDeliveredOnce(ids);
    }

    @Test
    void aRelayWhoseSessionsAreCutBetweenClaimsGoesOn() throws Exception {
        // Given
        List<UUID> first = append(topic, "a", 1);
        var relay = relays.relay("relay", LONG);
        relay.drain();
        // When
        cutTheRelaysSessions();
        UUID later = append(topic, "a", 2, "{}");
        // Then
        await().untilAsserted(() -> {
            relay.cycle();
            assertThat(status(later)).isEqualTo("delivered");
        });
        assertDeliveredOnce(List.of(first.get(0), later));
    }

    @Test
    void lanesAreCountedAsLostWhenTheirDeliveryCannotBeWrittenBeforeTheLeaseEnds() throws Exception {
        // Given
        append(topic, "a", 3);
        var relay = relays.relay("relay", SHORT);
        var claim = relay.worker().claim(Mode.ORDINARY);
        double lostBefore = relays.counter("outbox.leases.lost");
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "SELECT FROM outbox_lane WHERE lane = ? FOR UPDATE", Lanes.of("a"));
            // When
            assertThatThrownBy(() -> relay.worker().finish(claim, Mode.ORDINARY, relay.outage()));
        }
        // Then
        assertThat(relays.counter("outbox.leases.lost") - lostBefore).isEqualTo(1);
    }

    @Test
    void aClaimIsCountedAsLateWhenItsAnswerDoesNotComeWhileItIsGood() throws Exception {
        // Given
        append(topic, "a", 3);
        var relay = relays.relay("relay", SHORT);
        double lateBefore = relays.counter("outbox.claims.late");
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "LOCK TABLE outbox_lane");
            // When
            assertThatThrownBy(relay::cycle);
        }
        // Then
        assertThat(relays.counter("outbox.claims.late") - lateBefore).isEqualTo(1);
    }

    private void assertDeliveredOnce(List<UUID> ids) {
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        assertThat(TopicReader.ids(TOPICS.read(topic)))
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                .isZero();
    }

    private static void cutTheRelaysSessions() {
        String pids = DATABASE.text("SELECT string_agg(pid::text, ',') " + RELAY_SESSIONS);
        DATABASE.number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid IN (" + pids + ")");
        await().untilAsserted(() -> assertThat(
                        DATABASE.number("SELECT count(*) FROM pg_stat_activity WHERE pid IN (" + pids + ")"))
                .isZero());
    }
}
