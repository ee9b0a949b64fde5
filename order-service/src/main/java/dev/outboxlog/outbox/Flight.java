package dev.outboxlog.outbox;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;

/** One event on its way to Kafka. The publisher's alone, but for what the client reports through {@link #onCompletion}. */
final class Flight implements Callback {

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
    final Publication publication;
    State state = State.WAITING;
    /** The next event of the same aggregate, to be sent after this one. */
    Flight next;

    Hold hold;
    private Publisher publisher;
    private RecordMetadata metadata;
    private Exception failure;
    private volatile boolean settled;

    Flight(StoredEvent event, Publication publication) {
        this.event = event;
        this.publication = publication;
    }

    void depart(Publisher sender) {
        publisher = sender;
        state = State.SENT;
    }

    /** Runs on the client's thread, or on the publisher's where the client refuses the record at once. */
    @Override
    public void onCompletion(RecordMetadata written, Exception refused) {
        metadata = written;
        failure = refused;
        settled = true;
        publisher.settled();
    }

    /** Whether the client has reported the outcome. */
    boolean isSettled() {
        return settled;
    }

    /** Why the client has not written the record; {@code null} if it has. */
    Exception failure() {
        return failure;
    }

    void hold(Hold reason) {
        state = State.HELD;
        hold = reason;
    }

    /** The ledger's row for acknowledged events of one lane, given in the order of their positions. */
    static LaneProgress.Delivery ledger(List<Flight> acknowledged) {
        Map<String, Map<Integer, long[]>> ranges = new HashMap<>();
        for (Flight flight : acknowledged) {
            long offset = flight.metadata.offset();
            long[] range = ranges.computeIfAbsent(flight.event.topic(), topic -> new HashMap<>())
                    .computeIfAbsent(flight.metadata.partition(), partition -> new long[] {offset, offset});
            range[0] = Math.min(range[0], offset);
            range[1] = Math.max(range[1], offset);
        }
        Map<String, long[]> offsets = new TreeMap<>();
        ranges.forEach((topic, partitions) ->
                partitions.forEach((partition, range) -> offsets.put(topic + "-" + partition, range)));
        return new LaneProgress.Delivery(
                acknowledged.get(0).event.position(),
                acknowledged.get(acknowledged.size() - 1).event.position(),
                acknowledged.size(),
                offsets);
    }
}
