package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboxlog.testing.OrdersTopic;
import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The other policy for types of events that nobody here knows. */
@QuarkusTest
@TestProfile(UnknownTypeTest.ParkUnknownTypes.class)
class UnknownTypeTest {

    /** Unknown types wait for a person. */
    public static class ParkUnknownTypes implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("inbox.unknown-types", "park");
        }
    }

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.close();
    }

    @Test
    void an_unknown_type_is_parked_and_its_successor_waits() {
        // Given
        String orderId = newOrderId();
        Event unknown = OrdersTopic.event("order.praised", orderId, 2, "{\"orderId\":\"" + orderId + "\"}");
        Event next = addressChanged(orderId, 3, "Third");

        // When
        service.topic().send(created(orderId), unknown, next);

        // Then
        service.awaitOutcome(unknown, "parked");
        service.awaitOutcome(next, "held");
        assertThat(service.version(orderId)).isEqualTo(1);
    }
}
