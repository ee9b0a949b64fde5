package dev.outboxlog.inbox;

import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/**
 * An event whose envelope could be read; its data are the domain's to parse.
 *
 * @param id tells a first copy from a duplicate
 * @param type what happened
 * @param source who says so
 * @param subject the id of the aggregate that it is about
 * @param sequence the event's number among those of its subject: 1, 2, 3 … without gaps
 * @param time when it happened by the producer's clock, null where the producer does not say
 * @param data the record's value as it came
 */
public record InboxEvent(
        UUID id, String type, String source, String subject, long sequence, Instant time, byte[] data) {

    public InboxEvent {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(data, "data");
        if (sequence < 1) {
            throw new IllegalArgumentException("sequence is " + sequence + " but starts at 1");
        }
    }
}
