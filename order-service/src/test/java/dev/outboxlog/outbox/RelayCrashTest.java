package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import dev.outboxlog.outbox.RelayWorker.Mode;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a relay leaves behind at each point where it can die or freeze, and who picks it up. */
@QuarkusTest
@TestProfile(RelayOff.class)
class RelayCrashTest {

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "crash-" + UUID.randomUUID();
        TOPICS.create(topic, 3, Map.of());
    }

    @Test
    void whatARelayClaimedBeforeItDiedIsDeliveredOnceByAnother() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        relays.relay("dead", TestRelays.LONG).worker().claim(Mode.ORDINARY);
        assertThat(status(ids.get(0))).isEqualTo("processing");
        var other = relays.relay("other", TestRelays.LONG);
        assertThat(other.cycle()).isEqualTo(RelayWorker.Cycle.IDLE);
        // When
        TestRelays.expireLeases();
        assertThat(status(ids.get(0))).isEqualTo("pending");
        other.drain();
        // Then
        assertThat(TopicReader.ids(TOPICS.read(topic))).isEqualTo(texts(ids));
        assertThat(status(ids.get(2))).isEqualTo("delivered");
    }

    @Test
    void whatARelayPublishedBeforeItDiedIsPublishedOnceMore() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        double redeliveredBefore = relays.counter("outbox.redelivered");
        var dead = relays.relay("dead", TestRelays.LONG).worker();
        dead.publish(dead.publication(dead.claim(Mode.ORDINARY)));
        assertThat(TopicReader.ids(TOPICS.read(topic))).isEqualTo(texts(ids));
        assertThat(status(ids.get(0))).isEqualTo("processing");
        // When
        TestRelays.expireLeases();
        relays.relay("other", TestRelays.LONG).drain();
        // Then
        List<ConsumerRecord<String, String>> records = TOPICS.read(topic);
        assertThat(TopicReader.ids(records)).containsAll(texts(ids)).hasSize(6);
        assertThat(records.subList(0, 3)).extracting(ConsumerRecord::value).isEqualTo(values(records.subList(3, 6)));
        assertThat(relays.counter("outbox.redelivered") - redeliveredBefore).isEqualTo(3);
        assertThat(status(ids.get(2))).isEqualTo("delivered");
    }

    @Test
    void anExpiredLeaseIsTakenOverWithoutAnybodysHelp() throws Exception {
        // Given
        UUID id = append(topic, "a", 1).get(0);
        Duration lease = Duration.ofMillis(300);
        relays.relay("dead", lease).worker().claim(Mode.ORDINARY);
        var other = relays.relay("other", lease);
        // Then
        await().untilAsserted(() -> {
            other.drain();
            assertThat(status(id)).isEqualTo("delivered");
        });
    }

    @Test
    void aRelayThatWakesUpAfterItsLeaseChangesNothing() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        double lostBefore = relays.counter("outbox.leases.lost");
        var frozen = relays.relay("frozen", TestRelays.LONG).worker();
        var claim = frozen.claim(Mode.ORDINARY);
        var progress = frozen.publish(frozen.publication(claim));
        TestRelays.expireLeases();
        var other = relays.relay("other", TestRelays.LONG).worker();
        var claimOfOther = other.claim(Mode.ORDINARY);
        String lanesBefore = lanes();
        String ledgerBefore = ledger();
        // When
        var written = frozen.advance(claim, progress);
        // Then
        assertThat(written).isEmpty();
        assertThat(lanes()).isEqualTo(lanesBefore);
        assertThat(ledger()).isEqualTo(ledgerBefore);
        assertThat(relays.counter("outbox.leases.lost") - lostBefore).isEqualTo(1);
        // And the one who holds the lane now is not disturbed
        assertThat(other.advance(claimOfOther, other.publish(other.publication(claimOfOther))))
                .hasSize(1);
        assertThat(status(ids.get(2))).isEqualTo("delivered");
    }

    @Test
    void aRelayThatClaimsAgainAfterItsOwnLeaseHasANewEpoch() throws Exception {
        // Given
        append(topic, "a", 1);
        var worker = relays.relay("same", TestRelays.LONG).worker();
        var first = worker.claim(Mode.ORDINARY);
        TestRelays.expireLeases();
        // When
        var second = worker.claim(Mode.ORDINARY);
        // Then
        assertThat(second.lanes().get(0).epoch()).isEqualTo(first.lanes().get(0).epoch() + 1);
        assertThat(worker.advance(first, worker.publish(worker.publication(first))))
                .isEmpty();
    }

    @Test
    void nothingIsSentWhenTooMuchOfTheLeaseHasPassed() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 2);
        double lateBefore = relays.counter("outbox.claims.late");
        var slow = relays.relay("slow", TestRelays.LONG, Duration.ZERO, TestRelays.LONG);
        // When
        slow.cycle();
        // Then
        assertThat(TOPICS.read(topic)).isEmpty();
        assertThat(relays.counter("outbox.claims.late") - lateBefore).isEqualTo(1);
        // And the lane is free at once
        assertThat(status(ids.get(0))).isEqualTo("pending");
        relays.relay("other", TestRelays.LONG).drain();
        assertThat(TopicReader.ids(TOPICS.read(topic))).isEqualTo(texts(ids));
    }

    @Test
    void aRelayThatIsToldToStopReleasesWhatItHasNotSent() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 2);
        var stopping = relays.relay("stopping", TestRelays.LONG);
        stopping.stop().stop(Duration.ofSeconds(1));
        // When
        stopping.cycle();
        // Then
        assertThat(TOPICS.read(topic)).isEmpty();
        assertThat(status(ids.get(0))).isEqualTo("pending");
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                .isZero();
    }

    @Test
    void relaysThatRacePublishEachEventOnce() throws Exception {
        // Given
        int aggregates = 100;
        int eventsOfEach = 20;
        DATABASE.execute("""
                INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                SELECT gen_random_uuid(), ?, 'test', 'test', 'aggregate-' || mod(n, ?), n / ? + 1, '{}'
                FROM generate_series(0, ?) AS n
                """, topic, aggregates, aggregates, aggregates * eventsOfEach - 1);
        // When
        CompletableFuture<?>[] racing = IntStream.range(0, 4)
                .mapToObj(n -> CompletableFuture.runAsync(() -> {
                    try {
                        relays.relay("racer-" + n, TestRelays.LONG).drain();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(racing).join();
        // One may have stopped while another still held the last lanes with more to do.
        relays.relay("last", TestRelays.LONG).drain();
        // Then
        List<ConsumerRecord<String, String>> records = TOPICS.read(topic);
        assertThat(TopicReader.ids(records)).doesNotHaveDuplicates().hasSize(aggregates * eventsOfEach);
        assertSequencesRise(records);
        assertThat(DATABASE.column("SELECT DISTINCT status FROM outbox")).containsExactly("delivered");
        assertThat(DATABASE.number("SELECT sum(events) FROM outbox_delivery")).isEqualTo(aggregates * eventsOfEach);
    }

    @Test
    void aLaneWhoseRowSomebodyHasLockedHoldsUpNoOther() throws Exception {
        // Given
        UUID locked = append(topic, "a", 1).get(0);
        String elsewhere = TestRelays.aggregate(aggregate -> Lanes.of(aggregate) != Lanes.of("a"));
        UUID free = append(topic, elsewhere, 1).get(0);
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "SELECT FROM outbox_lane WHERE lane = ? FOR UPDATE", Lanes.of("a"));
            // When
            relays.relay("relay", TestRelays.LONG).drain();
            // Then
            assertThat(status(free)).isEqualTo("delivered");
            assertThat(status(locked)).isEqualTo("pending");
            psql.rollback();
        }
        relays.relay("relay", TestRelays.LONG).drain();
        assertThat(status(locked)).isEqualTo("delivered");
    }

    private static void assertSequencesRise(List<ConsumerRecord<String, String>> records) {
        Map<String, Long> last = new HashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            long sequence = Long.parseLong(TopicReader.header(record, "ce_sequence"));
            Long before = last.put(record.key(), sequence);
            assertThat(sequence).as(record.key()).isEqualTo(before == null ? 1 : before + 1);
        }
    }

    private static List<String> texts(List<UUID> ids) {
        return ids.stream().map(UUID::toString).toList();
    }

    private static List<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }

    private static String lanes() {
        return DATABASE.text("SELECT string_agg(l::text, ',' ORDER BY lane) FROM outbox_lane l");
    }

    private static String ledger() {
        return DATABASE.text("SELECT count(*) FROM outbox_delivery");
    }
}
