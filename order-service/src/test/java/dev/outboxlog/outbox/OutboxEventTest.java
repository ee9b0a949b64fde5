package dev.outboxlog.outbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What could never be published is refused when it is appended, not found out by the relay. */
class OutboxEventTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "no topic can be named so", "..", "a/b", "topic\n"})
    void aTopicWithAnImpossibleNameIsRefused(String topic) {
        assertThatThrownBy(() -> event(topic, Map.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTopicWithTooLongANameIsRefused() {
        assertThatThrownBy(() -> event("t".repeat(250), Map.of())).hasMessageContaining("249");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ce_id", "ce_type", "content-type"})
    void aHeaderThatTheRelayWritesItselfIsRefused(String header) {
        assertThatThrownBy(() -> event("orders", Map.of(header, "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + header + "'");
    }

    private static OutboxEvent event(String topic, Map<String, String> headers) {
        return new OutboxEvent(UUID.randomUUID(), topic, "order.created", "order", "a", 1, "{}", headers);
    }
}
