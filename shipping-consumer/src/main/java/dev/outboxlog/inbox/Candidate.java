package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Delivery.Reading;
import java.util.Objects;

/**
 * An event on its way to the domain.
 *
 * @param onHold null for one that comes from Kafka
 */
record Candidate(Delivery delivery, InboxEvent event, OnHold onHold) {

    Candidate {
        Objects.requireNonNull(event, "event");
    }

    /**
     * Where an event on hold stands.
     *
     * @param parked true for one that a person offers again, false for one that waited for an earlier one
     */
    record OnHold(long holdId, boolean parked) {}

    static Candidate fromKafka(Delivery delivery, InboxEvent event) {
        return new Candidate(delivery, event, null);
    }

    static Candidate fromHold(long holdId, boolean parked, Delivery delivery) {
        if (delivery.reading() instanceof Reading.Readable readable) {
            return new Candidate(delivery, readable.event(), new OnHold(holdId, parked));
        }
        throw new IllegalArgumentException("the record on hold " + holdId + " cannot be read");
    }
}
