package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The application's own relay delivers what is in lanes under suspicion, and trusts them again. */
@QuarkusTest
class SuspectLaneTest {

    @Test
    void eventsOfASuspectLaneAreDelivered() {
        // Given
        String aggregate = "suspect-" + UUID.randomUUID();
        DATABASE.execute(
                "UPDATE outbox_lane SET claims_without_progress = 2, epoch = epoch + 1, owner = NULL, locked_until = NULL WHERE lane = ?",
                Lanes.of(aggregate));
        // When
        List<UUID> ids = append("suspect-" + UUID.randomUUID(), aggregate, 5);
        // Then
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered")));
        await().untilAsserted(() -> assertThat(DATABASE.number(
                        "SELECT count(*) FROM outbox_lane WHERE lane = ? AND (claims_without_progress > 0 OR careful_until IS NOT NULL)",
                        Lanes.of(aggregate)))
                .isZero());
    }
}
