package dev.outboxlog.outbox;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * One event on its way to Kafka. It belongs to one thread at a time: to the one that publishes its claim, and while it is in the client's
 * hands, to the client's.
 */
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
    /** Read by the publishing thread when time is up, whatever the client's thread does at that moment. */
    volatile State state = State.WAITING;
    /** The next event of the same aggregate, to be sent after this one. */
    Flight next;

    Hold hold;
    private Publisher publisher;
    private Producer<String, byte[]> producer;
    private RecordMetadata metadata;

    Flight(StoredEvent event, Publication publication) {
        this.event = event;
        this.publication = publication;
    }

    /** Gives the flight to a producer, which need not take it yet. */
    void prepare(Publisher sender, Producer<String, byte[]> through) {
        publisher = sender;
        producer = through;
    }

    @Override
    public void onCompletion(RecordMetadata written, Exception refused) {
        metadata = written;
        publisher.landed(this, refused);
    }

    /** The producer that the event is or was to be sent with; {@code null} if it never came so far. */
    Producer<String, byte[]> producer() {
        return producer;
    }

    void hold(Hold reason) {
        hold = reason;
        state = State.HELD;
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
