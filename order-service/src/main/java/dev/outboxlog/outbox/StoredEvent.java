package dev.outboxlog.outbox;

import java.util.Map;
import java.util.UUID;

/**
 * An event as the relay reads it from the log.
 *
 * @param lane its lane
 * @param position its place in the lane
 * @param createdAt when it was appended, as RFC 3339 writes it
 * @param headers further Kafka headers; empty if there are none
 * @param held whether its aggregate has an event on hold, so that this one must wait behind it
 * @param attempts failed attempts so far; 0 for an event that was never on hold
 */
record StoredEvent(
        int lane,
        long position,
        UUID id,
        String topic,
        String type,
        String aggregateId,
        long sequence,
        String createdAt,
        byte[] payload,
        Map<String, String> headers,
        boolean held,
        int attempts) {}
