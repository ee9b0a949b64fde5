package dev.outboxlog.inbox;

import java.util.Objects;
import java.util.UUID;

/** A record that came from Kafka or out of the hold, with what could be read of it. */
record Delivery(RawRecord raw, Reading reading) {

    /** Whether the envelope could be read. */
    sealed interface Reading {

        /** It could. */
        record Readable(InboxEvent event) implements Reading {
            public Readable {
                Objects.requireNonNull(event, "event");
            }
        }

        /**
         * It could not.
         *
         * @param id null where not even that is there
         * @param code a stable word
         * @param reason for a person
         */
        record Malformed(UUID id, String code, String reason) implements Reading {}
    }

    static Delivery of(RawRecord raw) {
        return new Delivery(raw, Envelope.read(raw));
    }

    /** Null where the record has none. */
    UUID id() {
        if (reading instanceof Reading.Readable readable) {
            return readable.event().id();
        }
        return ((Reading.Malformed) reading).id();
    }
}
