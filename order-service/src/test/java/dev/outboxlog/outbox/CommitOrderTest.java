package dev.outboxlog.outbox;

import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Positions rise in commit order, so a cursor can pass nothing that becomes visible later. */
@QuarkusTest
class CommitOrderTest {

    private static final int WRITERS = 48;
    private static final int TRANSACTIONS = 100;
    private static final int AGGREGATES = 200;
    private static final int ROLLED_BACK_IN_TEN = 1;
    private static final double LONGEST_HOLD_SECONDS = 0.003;

    private static final String INSERT =
            "INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, payload) VALUES (?, ?, 't', 't', ?, '{}')";

    @Inject
    Outbox outbox;

    @Test
    void everyEventOfConcurrentWritersIsPublished() throws Exception {
        // Given
        String topic = "commit-order-" + UUID.randomUUID();
        TOPICS.create(topic, 6, java.util.Map.of());
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        // When
        List<Future<List<String>>> committed = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            Random random = new Random(writer);
            committed.add(writers.submit(() -> write(topic, random)));
        }
        List<String> expected = new ArrayList<>();
        for (Future<List<String>> ids : committed) {
            expected.addAll(ids.get());
        }
        writers.shutdown();
        // Then
        assertThat(expected).hasSizeGreaterThan(WRITERS * TRANSACTIONS / 2);
        assertPositionsRiseInCommitOrder(topic);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(DATABASE.number(
                                "SELECT count(*) FROM outbox WHERE topic = ? AND status <> 'delivered'", topic))
                        .isZero());
        List<String> published = TopicReader.ids(TOPICS.read(topic));
        assertThat(new HashSet<>(published)).isEqualTo(new HashSet<>(expected));
        assertThat(published).as("copies").hasSameSizeAs(expected);
    }

    private List<String> write(String topic, Random random) throws SQLException {
        List<String> committed = new ArrayList<>();
        try (Connection connection = DATABASE.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < TRANSACTIONS; i++) {
                UUID id = new UUID(random.nextLong(), random.nextLong());
                Database.execute(connection, INSERT, id, topic, "aggregate-" + random.nextInt(AGGREGATES));
                Database.execute(connection, "SELECT pg_sleep(?)", random.nextDouble() * LONGEST_HOLD_SECONDS);
                if (random.nextInt(10) < ROLLED_BACK_IN_TEN) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.add(id.toString());
                    // The relay looks while others are still writing: only then can it pass one of them.
                    outbox.nudge();
                }
            }
        }
        return committed;
    }

    @Test
    void aWriterWaitsForAnEarlierOneOfItsLaneAndForNoOther() throws Exception {
        try (Connection first = DATABASE.connect();
                Connection second = DATABASE.connect();
                Connection third = DATABASE.connect()) {
            // Given
            first.setAutoCommit(false);
            Database.execute(first, INSERT, UUID.randomUUID(), "orders", "lane-mate");
            // When
            Database.execute(second, "SET lock_timeout = '200ms'");
            // Then
            assertThatThrownBy(() -> Database.execute(second, INSERT, UUID.randomUUID(), "orders", "lane-mate"))
                    .hasMessageContaining("lock timeout");
            Database.execute(third, "SET lock_timeout = '200ms'");
            Database.execute(third, INSERT, UUID.randomUUID(), "orders", aggregateOfAnotherLane("lane-mate"));
            first.rollback();
        }
    }

    /** The check above is worth something only if it finds what the lock prevents. */
    @Test
    void withoutTheLockOfTheLaneTheCheckFails() throws Exception {
        String topic = "no-lock-" + UUID.randomUUID();
        String function = DATABASE.text("SELECT pg_get_functiondef('outbox_append'::regproc)");
        String unlocked = function.replaceAll("pg_advisory_xact_lock\\([^)]*\\)", "NEW.lane");
        assertThat(unlocked).isNotEqualTo(function);
        DATABASE.execute(unlocked);
        try (Connection first = DATABASE.connect();
                Connection second = DATABASE.connect()) {
            // Given
            first.setAutoCommit(false);
            Database.execute(first, INSERT, UUID.randomUUID(), topic, "one");
            // When
            Database.execute(second, INSERT, UUID.randomUUID(), topic, "one");
            first.commit();
        } finally {
            DATABASE.execute(function);
        }
        // Then
        assertThatThrownBy(() -> assertPositionsRiseInCommitOrder(topic)).isInstanceOf(AssertionError.class);
    }

    private static void assertPositionsRiseInCommitOrder(String topic) {
        List<String> inverted = DATABASE.rows(
                """
                SELECT lane, position, before
                FROM (
                  SELECT lane, position,
                         lag(position) OVER in_lane AS before,
                         pg_xact_commit_timestamp(xmin) AS committed,
                         lag(pg_xact_commit_timestamp(xmin)) OVER in_lane AS committed_before
                  FROM outbox_log
                  WHERE topic = ?
                  WINDOW in_lane AS (PARTITION BY lane ORDER BY position)
                ) pairs
                WHERE committed < committed_before
                """, row -> "lane " + row[0] + ": position " + row[1] + " was committed before " + row[2], topic);
        assertThat(inverted).isEmpty();
    }

    private static String aggregateOfAnotherLane(String aggregate) {
        int n = 0;
        while (Lanes.of("other-" + n) == Lanes.of(aggregate)) {
            n++;
        }
        return "other-" + n;
    }
}
