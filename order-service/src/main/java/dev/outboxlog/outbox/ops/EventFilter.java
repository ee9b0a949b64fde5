package dev.outboxlog.outbox.ops;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Set;

/**
 * Which events to list. Absent values match all.
 *
 * @param createdFrom the first moment
 * @param createdTo the first moment that is too late
 */
record EventFilter(
        String status,
        String topic,
        String type,
        String aggregateId,
        OffsetDateTime createdFrom,
        OffsetDateTime createdTo) {

    static final Set<String> HELD = Set.of("retrying", "blocked", "parked", "discarded");
    static final Set<String> WAITING = Set.of("pending", "processing");

    private static final OffsetDateTime ALWAYS = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    private static final OffsetDateTime NEVER = OffsetDateTime.of(9999, 12, 31, 0, 0, 0, 0, ZoneOffset.UTC);

    /** Reads query parameters; refuses what cannot be meant. */
    static EventFilter of(
            String status, String topic, String type, String aggregateId, String createdFrom, String createdTo) {
        if (status != null && !HELD.contains(status) && !WAITING.contains(status) && !status.equals("delivered")) {
            throw Problems.badParameter(
                    "status", "It is one of pending, processing, delivered, retrying, blocked, parked and discarded.");
        }
        OffsetDateTime from = createdFrom == null ? ALWAYS : time("createdFrom", createdFrom);
        OffsetDateTime to = createdTo == null ? NEVER : time("createdTo", createdTo);
        if (!from.isBefore(to)) {
            throw Problems.contradiction("createdTo", "It must be later than createdFrom.");
        }
        return new EventFilter(
                status,
                storable("topic", topic),
                storable("type", type),
                storable("aggregateId", aggregateId),
                from,
                to);
    }

    /** Whether nothing but the status matters. */
    boolean isForStatusOnly() {
        return topic == null && type == null && createdFrom.equals(ALWAYS) && createdTo.equals(NEVER);
    }

    boolean wants(EventView event) {
        return (status == null || status.equals(event.status()))
                && (topic == null || topic.equals(event.topic()))
                && (type == null || type.equals(event.type()));
    }

    private static OffsetDateTime time(String parameter, String text) {
        return Texts.time(text).orElseThrow(() -> Problems.badParameter(parameter, Texts.TIME));
    }

    private static String storable(String parameter, String text) {
        if (text != null && !Texts.isStorable(text)) {
            throw Problems.badParameter(parameter, "It is text without NUL.");
        }
        return text;
    }
}
