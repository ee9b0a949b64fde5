package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What people free leaves at once, and not with the relay's next look. */
@QuarkusTest
@TestProfile(NudgeTest.RelayThatHardlyLooks.class)
class NudgeTest {

    /** Its relay would find by itself what a test frees, but not before the test has failed. */
    public static class RelayThatHardlyLooks implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("outbox.relay.poll-interval", "1h", "outbox.relay.workers", "1");
        }
    }

    @Test
    void theRelayIsWokenWhenAPauseEndsOrAReplayBegins() {
        // Given
        TestRelays.reset();
        Operator.pause("all", null).statusCode(200);
        UUID event = append("nudge-" + UUID.randomUUID(), "a", 1).get(0);
        // When
        Operator.resume("all", null).statusCode(200);
        // Then
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(status(event)).isEqualTo("delivered"));
        // When
        Operator.replay("\"aggregateId\":\"a\"").statusCode(200);
        // Then
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(DATABASE.number("SELECT count(*) FROM outbox_delivery WHERE replay"))
                        .isEqualTo(1));
    }
}
