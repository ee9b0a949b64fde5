package dev.outboxlog.bench;

import dev.outboxlog.local.Lifeline;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * The limit: a process that does nothing but send the relay's records to Kafka, with the relay's guarantees, keys and headers, and with no
 * database: payloads and ids are made before the first is sent.
 */
public final class RawProducer {

    private static final Header[] FIXED = {
        header("ce_specversion", "1.0"),
        header("ce_source", "/order-service"),
        header("ce_type", "bench.event"),
        header("content-type", "application/json")
    };

    private RawProducer() {}

    /** Arguments: bootstrap servers, topic, events, aggregates. */
    public static void main(String[] arguments) throws InterruptedException {
        Lifeline.endWithParent();
        String topic = arguments[1];
        int events = Integer.parseInt(arguments[2]);
        int aggregates = Integer.parseInt(arguments[3]);
        byte[][] payloads = new byte[events][];
        String[] ids = new String[events];
        for (int n = 0; n < events; n++) {
            payloads[n] = Payloads.text(n).getBytes(StandardCharsets.UTF_8);
            ids[n] = new UUID(n, n).toString();
        }
        try (KafkaProducer<String, byte[]> producer = Producers.start(arguments[0], Producers.BATCHING_LINGER)) {
            producer.partitionsFor(topic);
            for (int n = 0; n < events; n++) {
                producer.send(record(topic, ids[n], "aggregate-" + n % aggregates, n / aggregates + 1, payloads[n]));
            }
        }
        // What it has used is read from its process, so it stays until it is stopped.
        new CountDownLatch(1).await();
    }

    private static ProducerRecord<String, byte[]> record(
            String topic, String id, String aggregate, int sequence, byte[] payload) {
        var record = new ProducerRecord<>(topic, aggregate, payload);
        for (Header header : FIXED) {
            record.headers().add(header);
        }
        record.headers().add(header("ce_id", id));
        record.headers().add(header("ce_time", "2026-01-01T00:00:00.000000Z"));
        record.headers().add(header("ce_subject", aggregate));
        record.headers().add(header("ce_sequence", Integer.toString(sequence)));
        return record;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
