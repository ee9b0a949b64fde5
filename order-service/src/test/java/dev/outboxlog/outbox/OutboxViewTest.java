package dev.outboxlog.outbox;

import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import java.sql.Connection;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The outbox as somebody sees it who has read about outboxes and has psql. */
@QuarkusTest
class OutboxViewTest {

    private static final String TEXTBOOK_INSERT =
            "INSERT INTO outbox (id, topic, payload, status, created_at) VALUES (?, 'order.created', ?::json, 'pending', now())";

    @Test
    void theTextbookInsertIsDelivered() {
        // Given
        UUID id = UuidCreator.getTimeOrderedEpoch();
        // When
        DATABASE.execute(TEXTBOOK_INSERT, id, "{\"order\":  42}");
        // Then
        await().untilAsserted(() -> assertThat(status(id)).isEqualTo("delivered"));
        var records = TOPICS.read("order.created").stream()
                .filter(record -> record.key().equals(id.toString()))
                .toList();
        assertThat(records).hasSize(1);
        assertThat(records.get(0).value()).isEqualTo("{\"order\":  42}");
        assertThat(TopicReader.header(records.get(0), "ce_id")).isEqualTo(id.toString());
        assertThat(TopicReader.header(records.get(0), "ce_type")).isEqualTo("order.created");
        assertThat(DATABASE.text("SELECT delivered_at FROM outbox WHERE id = ?", id))
                .isNotNull();
    }

    @Test
    void anEventOfATransactionThatIsOpenIsNotSeen() throws Exception {
        UUID id = UuidCreator.getTimeOrderedEpoch();
        try (Connection writer = DATABASE.connect()) {
            writer.setAutoCommit(false);
            // When
            Database.execute(writer, TEXTBOOK_INSERT, id, "{}");
            // Then
            assertThat(status(id)).isNull();
            // When
            writer.rollback();
        }
        // Then
        assertThat(status(id)).isNull();
    }

    @Test
    void theSameIdIsRefusedTwice() {
        // Given
        UUID id = UuidCreator.getTimeOrderedEpoch();
        DATABASE.execute(TEXTBOOK_INSERT, id, "{}");
        // Then
        assertThatThrownBy(() -> DATABASE.execute(TEXTBOOK_INSERT, id, "{}"))
                .hasMessageContaining("Key (id)=(" + id + ") already exists");
        assertThatThrownBy(() -> DATABASE.execute(
                        "INSERT INTO outbox (id, topic, aggregate_id, payload) VALUES (?, 'orders', 'another', '{}')",
                        id))
                .hasMessageContaining("Key (id)=(" + id + ") already exists");
    }

    @Test
    void theSameIdIsRefusedToTwoTransactionsAtOnce() throws Exception {
        // Given
        UUID id = UuidCreator.getTimeOrderedEpoch();
        try (Connection first = DATABASE.connect();
                Connection second = DATABASE.connect()) {
            first.setAutoCommit(false);
            Database.execute(first, TEXTBOOK_INSERT, id, "{}");
            var other = java.util.concurrent.CompletableFuture.runAsync(() -> {
                try {
                    Database.execute(second, TEXTBOOK_INSERT, id, "{}");
                } catch (java.sql.SQLException e) {
                    throw new IllegalStateException(e.getMessage(), e);
                }
            });
            await().untilAsserted(() -> assertThat(DATABASE.number(
                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))
                    .isPositive());
            // When
            first.commit();
            // Then
            assertThatThrownBy(other::join).hasMessageContaining("Key (id)=(" + id + ") already exists");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"delivered", "processing", "PENDING", ""})
    void nobodyInsertsAnotherStatusThanPending(String status) {
        assertThatThrownBy(() -> DATABASE.execute(
                        "INSERT INTO outbox (id, topic, payload, status) VALUES (gen_random_uuid(), 'orders', '{}', ?)",
                        status))
                .hasMessageContaining("cannot be inserted as '" + status + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "topic", "payload"})
    void whatAnEventNeedsIsSaid(String missing) {
        String values = "gen_random_uuid() AS id, 'orders' AS topic, '{}'::json AS payload";
        assertThatThrownBy(() -> DATABASE.execute("INSERT INTO outbox (id, topic, payload) SELECT "
                        + "CASE WHEN '" + missing + "' <> 'id' THEN id END, "
                        + "CASE WHEN '" + missing + "' <> 'topic' THEN topic END, "
                        + "CASE WHEN '" + missing + "' <> 'payload' THEN payload END FROM (SELECT " + values + ") v"))
                .hasMessageContaining("an event needs a")
                .hasMessageContaining(missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE outbox SET status = 'delivered'", "DELETE FROM outbox"})
    void eventsAreNeitherChangedNorDeleted(String statement) {
        UUID id = UuidCreator.getTimeOrderedEpoch();
        DATABASE.execute(TEXTBOOK_INSERT, id, "{}");
        assertThatThrownBy(() -> DATABASE.execute(statement + " WHERE id = ?", id))
                .hasMessageContaining("an event cannot be changed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "order-1", "Zürich", "日本", "01a231ea-866b-78f3-bbf9-756694083336"})
    void javaAndSqlAgreeOnTheLaneOfAnAggregate(String aggregateId) {
        assertThat(DATABASE.number("SELECT outbox_lane_of(?)", aggregateId)).isEqualTo(Lanes.of(aggregateId));
    }

    private static String status(UUID id) {
        return DATABASE.text("SELECT status FROM outbox WHERE id = ?", id);
    }
}
