package dev.outboxlog.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.testing.OrdersTopic.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a test may ask about the service under test, and the two servers around it. */
public final class Service implements AutoCloseable {

    /** Longer than anything that is not broken takes. */
    public static final Duration SOON = Duration.ofSeconds(30);

    private final OrdersTopic topic = new OrdersTopic();
    private final Database database = new Database();

    public OrdersTopic topic() {
        return topic;
    }

    public Database database() {
        return database;
    }

    /** What {@code processed_events} says about an event, null where it was not seen. */
    public String outcome(Event event) {
        return (String) database.value("SELECT outcome FROM processed_events WHERE event_id = ?", event.id());
    }

    public void awaitOutcome(Event event, String outcome) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(outcome(event))
                        .as(() -> "outcome of " + event.id() + ", on hold because of " + reason(event))
                        .isEqualTo(outcome));
    }

    private Object reason(Event event) {
        return database.value("SELECT reason FROM inbox_hold WHERE event_id = ?", event.id());
    }

    /** The version of an order's shipment, 0 where there is none. */
    public long version(String orderId) {
        Object version = database.value("SELECT order_version FROM shipments WHERE order_id = ?", orderId);
        return version == null ? 0 : ((Number) version).longValue();
    }

    public void awaitVersion(String orderId, long version) {
        await().atMost(SOON).untilAsserted(() -> assertThat(version(orderId)).isEqualTo(version));
    }

    /** The rows of the hold that stand for one record. */
    public List<Map<String, Object>> onHold(int partition, long offset) {
        return database.rows(
                "SELECT * FROM inbox_hold WHERE topic = 'orders' AND partition = ? AND record_offset = ?",
                partition,
                offset);
    }

    @Override
    public void close() {
        topic.close();
        database.close();
    }
}
