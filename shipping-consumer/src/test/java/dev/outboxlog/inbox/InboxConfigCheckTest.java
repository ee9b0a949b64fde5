package dev.outboxlog.inbox;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InboxConfigCheckTest {

    private static final Duration GRACE = Duration.ofSeconds(20);

    private static InboxConfig config(Map<String, String> settings) {
        return new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(settings, "test", 500))
                .withConverter(Duration.class, 100, new io.quarkus.runtime.configuration.DurationConverter())
                .withMapping(InboxConfig.class)
                .build()
                .getConfigMapping(InboxConfig.class);
    }

    @Test
    void the_defaults_are_safe_together() {
        assertThatCode(() -> InboxConfigCheck.check(config(Map.of()), GRACE)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "inbox.database.lock-timeout, 10s, inbox.database.statement-timeout",
        "inbox.database.statement-timeout, 20s, inbox.database.read-idle-timeout",
        "inbox.stop-timeout, 20s, quarkus.shutdown.timeout",
        "inbox.retry.min-delay, 31s, inbox.retry.max-delay",
        "inbox.redelivery-window, 30d, inbox.dedup-window",
        "inbox.database.read-idle-timeout, 60s, inbox.database.transaction-timeout",
        "inbox.liveness.stalled-after, 60s, inbox.database.transaction-timeout"
    })
    void an_unsafe_pair_stops_the_start_and_says_how_to_go_on(String name, String value, String other) {
        assertThatThrownBy(() -> InboxConfigCheck.check(config(Map.of(name, value)), GRACE))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(other)
                .hasMessageContaining("Lower")
                .hasMessageContaining("raise");
    }

    @ParameterizedTest
    @CsvSource({
        "inbox.database.lock-timeout",
        "inbox.database.acquire-timeout",
        "inbox.retry.min-delay",
        "inbox.revoke-timeout",
        "inbox.stop-timeout",
        "inbox.holds.sweep-interval"
    })
    void a_duration_of_nothing_stops_the_start(String name) {
        assertThatThrownBy(() -> InboxConfigCheck.check(config(Map.of(name, "0s")), GRACE))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(name);
    }

    @Test
    void an_unknown_key_stops_the_start() {
        assertThatThrownBy(() -> config(Map.of("inbox.topics", "orders"))).hasMessageContaining("inbox.topics");
    }
}
