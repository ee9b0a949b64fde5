package dev.outboxlog.outbox;

import java.util.UUID;

/** An event that Kafka would refuse for its size. It is refused before it is written, so that it cannot block its aggregate. */
public final class EventTooLargeException extends RuntimeException {

    private final long bytes;
    private final long limit;

    EventTooLargeException(UUID id, long bytes, long limit) {
        super("event " + id + " has " + bytes + " bytes of payload and headers, more than the " + limit
                + " of outbox.max-event-size");
        this.bytes = bytes;
        this.limit = limit;
    }

    /** The size of payload and headers, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** The greatest size allowed, in bytes. */
    public long limit() {
        return limit;
    }
}
