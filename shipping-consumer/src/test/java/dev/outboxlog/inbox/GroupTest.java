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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the consumer group goes through: members that come and go, offsets that are lost. */
@QuarkusTest
class GroupTest {

    @Inject
    InboxEngine engine;

    @Inject
    InboxConfig config;

    @Inject
    MeterRegistry registry;

    private final Service service = new Service();

    @AfterEach
    void close() {
        engine.start();
        service.close();
    }

    private double events(String outcome) {
        return registry.get(InboxMetrics.EVENTS)
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private Object effects() {
        return service.database().value("SELECT md5(string_agg(s::text, ';' ORDER BY order_id)) FROM shipments AS s");
    }

    private void loseOffsets() throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(
                Map.<String, Object>of("bootstrap.servers", System.getProperty("kafka.bootstrap.servers")))) {
            admin.deleteConsumerGroups(List.of(config.group())).all().get();
        }
    }

    @Test
    void a_replay_from_the_beginning_has_no_effect() throws InterruptedException, ExecutionException {
        // Given
        List<String> orderIds = Stream.generate(() -> newOrderId()).limit(200).toList();
        for (String orderId : orderIds) {
            service.topic().send(created(orderId), addressChanged(orderId, 2, "Second"));
        }
        Event poison = created(newOrderId()).withHeader("ce_id", null);
        RecordMetadata place = service.topic().send(poison).get(0);
        await().atMost(Service.SOON)
                .until(() -> !service.onHold(place.partition(), place.offset()).isEmpty());
        orderIds.forEach(orderId -> service.awaitVersion(orderId, 2));
        engine.stop();
        Object effects = effects();
        long onHold = service.database().count("SELECT count(*) FROM inbox_hold");
        double duplicates = events("duplicate");
        double applied = events("applied");

        // When
        loseOffsets();
        engine.start();

        // Then
        await().atMost(Service.SOON)
                .untilAsserted(() -> assertThat(events("duplicate")).isGreaterThanOrEqualTo(duplicates + 400));
        String last = newOrderId();
        service.topic().send(created(last));
        service.awaitVersion(last, 1);
        service.database().execute("DELETE FROM shipments WHERE order_id = ?", last);
        assertThat(effects()).isEqualTo(effects);
        assertThat(service.database().count("SELECT count(*) FROM inbox_hold")).isEqualTo(onHold);
        assertThat(events("applied")).isEqualTo(applied + 1);
    }

    @Test
    void a_first_start_after_the_first_events_misses_none() throws InterruptedException, ExecutionException {
        // Given
        engine.stop();
        loseOffsets();
        String orderId = newOrderId();
        service.topic().send(created(orderId), addressChanged(orderId, 2, "Second"));

        // When
        engine.start();

        // Then
        service.awaitVersion(orderId, 2);
    }

    @Test
    void members_that_come_and_go_lose_nothing_and_apply_nothing_twice() throws InterruptedException {
        // Given
        List<String> orderIds = Stream.generate(() -> newOrderId()).limit(300).toList();
        double applied = events("applied");
        List<Event> events = new ArrayList<>();
        orderIds.forEach(orderId -> events.add(created(orderId)));
        for (int version = 2; version <= 10; version++) {
            for (String orderId : orderIds) {
                events.add(addressChanged(orderId, version, "Street " + version));
            }
        }

        // When
        for (int round = 0; round < 5; round++) {
            InboxLoop second = engine.newLoop();
            second.start();
            service.topic().send(events.subList(round * 600, (round + 1) * 600));
            String probe = orderIds.get(299);
            service.awaitVersion(probe, (round + 1) * 2);
            second.stop();
        }

        // Then
        orderIds.forEach(orderId -> service.awaitVersion(orderId, 10));
        assertThat(events("applied")).isEqualTo(applied + 3000);
        assertThat(service.database().count("SELECT count(*) FROM inbox_hold WHERE subject = ANY (?)", (Object)
                        orderIds.toArray(String[]::new)))
                .isZero();
    }
}
