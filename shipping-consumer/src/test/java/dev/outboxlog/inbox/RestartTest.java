package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The loop stops and begins again. */
@QuarkusTest
class RestartTest {

    @Inject
    InboxEngine engine;

    @Inject
    MeterRegistry registry;

    private final Service service = new Service();

    @AfterEach
    void close() {
        engine.start();
        service.close();
    }

    private double duplicates() {
        return registry.get(InboxMetrics.EVENTS)
                .tag("outcome", "duplicate")
                .counter()
                .count();
    }

    @Test
    void a_stop_under_load_redelivers_nothing() throws InterruptedException {
        // Given
        List<String> orderIds = Stream.generate(() -> newOrderId()).limit(3000).toList();
        service.topic().send(orderIds.stream().map(orderId -> created(orderId)).toList());
        await().atMost(Service.SOON)
                .until(() -> orderIds.stream().limit(10).anyMatch(orderId -> service.version(orderId) == 1));
        double duplicates = duplicates();

        // When
        engine.stop();
        engine.start();

        // Then
        String last = newOrderId();
        service.topic().send(created(last));
        await().atMost(Service.SOON)
                .untilAsserted(() -> assertThat(service.database()
                                .count("SELECT count(*) FROM shipments WHERE order_id = ANY (?)", (Object)
                                        orderIds.toArray(String[]::new)))
                        .isEqualTo(orderIds.size()));
        service.awaitVersion(last, 1);
        assertThat(duplicates()).isEqualTo(duplicates);
    }

    @Test
    void what_comes_while_the_loop_is_stopped_is_applied_after_the_start() throws InterruptedException {
        // Given
        String orderId = newOrderId();
        engine.stop();
        Event created = created(orderId);
        service.topic().send(created, addressChanged(orderId, 2, "Second"));
        assertThat(service.outcome(created)).isNull();

        // When
        engine.start();

        // Then
        service.awaitVersion(orderId, 2);
    }
}
