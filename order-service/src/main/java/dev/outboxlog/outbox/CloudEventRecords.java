package dev.outboxlog.outbox;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * Turns events into Kafka records: the key is the aggregate's id, the value the payload, and the attributes are headers as in the binary
 * content mode of the CloudEvents 1.0 Kafka protocol binding. The record carries the time of sending, not of the event: after a long outage
 * the latter may be older than the topic's retention, and the broker would delete the event at once.
 */
final class CloudEventRecords {

    private static final byte[] SPEC_VERSION = utf8("1.0");
    private static final byte[] JSON = utf8("application/json");

    private final byte[] source;

    /**
     * @param source the CloudEvents attribute {@code source}
     */
    CloudEventRecords(String source) {
        this.source = utf8(source);
    }

    ProducerRecord<String, byte[]> record(StoredEvent event) {
        var record = new ProducerRecord<>(event.topic(), event.aggregateId(), event.payload());
        Headers headers = record.headers();
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            headers.add(header.getKey(), utf8(header.getValue()));
        }
        headers.add("ce_specversion", SPEC_VERSION);
        headers.add("ce_id", utf8(event.id()));
        headers.add("ce_source", source);
        headers.add("ce_type", utf8(event.type()));
        headers.add("ce_time", utf8(event.createdAt()));
        headers.add("ce_subject", utf8(event.aggregateId()));
        headers.add("ce_sequence", utf8(Long.toString(event.sequence())));
        headers.add("content-type", JSON);
        return record;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
