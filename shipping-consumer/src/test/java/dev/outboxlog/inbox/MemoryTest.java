package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What happens when ids are forgotten. */
@QuarkusTest
class MemoryTest {

    private static final Duration WINDOW = Duration.ofDays(30);

    @Inject
    Memory memory;

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.database().execute("UPDATE inbox_horizon SET forgotten_before = NULL");
        service.database().execute("DROP TABLE IF EXISTS processed_events_20200101");
        service.database()
                .execute("DELETE FROM processed_events WHERE event_id < '016f638d-4400-0000-0000-000000000000'");
        service.close();
    }

    private static UUID idOf(Instant time) {
        return new UUID(time.toEpochMilli() << 16 | 0x7000L, 0x8000_0000_0000_0001L | (System.nanoTime() << 2 >>> 2));
    }

    private static Event at(Instant time, Event event) {
        UUID id = idOf(time);
        Event dated = event.withHeader("ce_id", id.toString());
        return new Event(id, dated.key(), dated.value(), dated.headers(), dated.more());
    }

    private void makePartitionOfJanuary2020() {
        service.database()
                .execute("CREATE TABLE processed_events_20200101 PARTITION OF processed_events"
                        + " FOR VALUES FROM ('016f5e66-e800-0000-0000-000000000000')"
                        + " TO ('016f638d-4400-0000-0000-000000000000')");
    }

    private Object horizon() {
        return service.database().value("SELECT forgotten_before::text FROM inbox_horizon");
    }

    @Test
    void an_old_event_is_applied_as_long_as_nothing_was_forgotten() {
        // Given
        String orderId = newOrderId();

        // When
        Event old = at(Instant.now().minus(400, ChronoUnit.DAYS), created(orderId));
        service.topic().send(old);

        // Then
        service.awaitOutcome(old, "applied");
    }

    @Test
    void a_forgotten_day_moves_the_horizon_and_what_is_older_is_parked() {
        // Given
        makePartitionOfJanuary2020();
        Event seen = at(Instant.parse("2020-01-01T10:00:00Z"), created(newOrderId()));
        service.topic().send(seen);
        service.awaitOutcome(seen, "applied");

        // When
        int days = memory.forget(WINDOW).await().atMost(Service.SOON);
        service.topic().send(seen);

        // Then
        assertThat(days).isEqualTo(1);
        assertThat(horizon()).asString().startsWith("2020-01-02 00:00:00");
        service.awaitOutcome(seen, "parked");
        assertThat(service.database().value("SELECT reason_code FROM inbox_hold WHERE event_id = ?", seen.id()))
                .isEqualTo("beyond-horizon");
        Event young = created(newOrderId());
        service.topic().send(young);
        service.awaitOutcome(young, "applied");
    }

    @Test
    void a_day_with_events_on_hold_is_not_forgotten() {
        // Given
        makePartitionOfJanuary2020();
        Event poison =
                at(Instant.parse("2020-01-01T10:00:00Z"), created(newOrderId())).withValue("not JSON");
        service.topic().send(poison);
        service.awaitOutcome(poison, "parked");

        // When
        int days = memory.forget(WINDOW).await().atMost(Service.SOON);

        // Then
        assertThat(days).isZero();
        assertThat(horizon()).isNull();
    }

    @Test
    void a_day_inside_the_window_is_remembered() {
        // Given
        Event event = created(newOrderId());
        service.topic().send(event);
        service.awaitOutcome(event, "applied");

        // When
        memory.forget(WINDOW).await().atMost(Service.SOON);

        // Then
        assertThat(service.outcome(event)).isEqualTo("applied");
    }

    @Test
    void today_and_the_next_days_have_their_partitions() {
        // When
        memory.prepare().await().atMost(Service.SOON);

        // Then
        assertThat(service.database()
                        .count("SELECT count(*) FROM pg_inherits WHERE inhparent = 'processed_events'::regclass"))
                .isGreaterThanOrEqualTo(4);
        Event event = created(newOrderId());
        service.topic().send(event);
        service.awaitOutcome(event, "applied");
        assertThat(service.database()
                        .value("SELECT tableoid::regclass::text FROM processed_events WHERE event_id = ?", event.id()))
                .asString()
                .matches("processed_events_[0-9]{8}");
    }
}
