package dev.outboxlog.outbox;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;

/** One event on its way to Kafka. */
final class Flight {

    enum State {
        /** Not sent. */
        WAITING,
        /** Sent, and the outcome is not known yet. */
        SENT,
        /** In Kafka, on as many replicas as the topic demands. */
        ACKNOWLEDGED,
        /** Goes on hold; the cursor may pass it. */
        HELD,
        /** The send failed in a way that does not tell whether the record was written. */
        UNKNOWN
    }

    final StoredEvent event;
    State state = State.WAITING;
    /** The next event of the same aggregate, to be sent after this one. */
    Flight next;

    Hold hold;
    private String partition;
    private long offset;

    Flight(StoredEvent event) {
        this.event = event;
    }

    void acknowledged(RecordMetadata metadata) {
        state = State.ACKNOWLEDGED;
        partition = metadata.topic() + "-" + metadata.partition();
        offset = metadata.offset();
    }

    void hold(Hold reason) {
        state = State.HELD;
        hold = reason;
    }

    /** The ledger's row for acknowledged events of one lane, given in the order of their positions. */
    static LaneProgress.Delivery ledger(List<Flight> acknowledged) {
        Map<String, long[]> offsets = new HashMap<>();
        for (Flight flight : acknowledged) {
            long[] range = offsets.computeIfAbsent(flight.partition, p -> new long[] {flight.offset, flight.offset});
            range[0] = Math.min(range[0], flight.offset);
            range[1] = Math.max(range[1], flight.offset);
        }
        return new LaneProgress.Delivery(
                acknowledged.get(0).event.position(),
                acknowledged.get(acknowledged.size() - 1).event.position(),
                acknowledged.size(),
                offsets);
    }
}
