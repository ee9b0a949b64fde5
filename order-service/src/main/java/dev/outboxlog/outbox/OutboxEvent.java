package dev.outboxlog.outbox;

import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.kafka.common.internals.Topic;

/**
 * An event to append: an immutable fact about one aggregate.
 *
 * @param id by which consumers recognise duplicates; best a UUID version 7, whose order is the order of time
 * @param topic the Kafka topic to publish to
 * @param type what happened, for example {@code order.created}
 * @param aggregateType what kind of thing it happened to, for example {@code order}
 * @param aggregateId which one; events of one aggregate are delivered in the order of their sequence
 * @param sequence the event's number within its aggregate: 1, 2, 3 … without gaps, taken under the aggregate's row lock
 * @param payload JSON text; consumers get these very bytes, in UTF-8
 * @param headers further Kafka headers, for example {@code traceparent}; not {@code ce_…} and {@code content-type}, which the relay writes
 */
public record OutboxEvent(
        UUID id,
        String topic,
        String type,
        String aggregateType,
        String aggregateId,
        long sequence,
        String payload,
        Map<String, String> headers) {

    public OutboxEvent {
        Objects.requireNonNull(id, "an event needs an id");
        requireText(topic, "topic");
        if (!Topic.isValid(topic)) {
            throw new IllegalArgumentException("no topic can be named '" + topic
                    + "': a name has at most 249 characters, of which each is a letter, a digit, or one of . _ -");
        }
        requireText(type, "type");
        requireText(aggregateType, "aggregate type");
        requireText(aggregateId, "aggregate id");
        if (sequence < 1) {
            throw new IllegalArgumentException("an event's sequence starts at 1, not at " + sequence);
        }
        Objects.requireNonNull(payload, "an event needs a payload; for one without data use the JSON text null");
        headers = Map.copyOf(headers);
        for (String header : headers.keySet()) {
            if (header.isEmpty() || header.startsWith("ce_") || header.equals("content-type")) {
                throw new IllegalArgumentException(
                        "a header cannot be named '" + header + "': the relay writes ce_… and content-type itself");
            }
        }
    }

    private static void requireText(String value, String name) {
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("an event needs a " + name);
        }
    }
}
