package dev.outboxlog.outbox;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Turns events into Kafka records: the key is the aggregate's id, the value the payload, and the attributes are headers as in the binary
 * content mode of the CloudEvents 1.0 Kafka protocol binding. The record carries the time of sending, not of the event: after a long outage
 * the latter may be older than the topic's retention, and the broker would delete the event at once.
 */
final class CloudEventRecords {

    private static final Header SPEC_VERSION = header("ce_specversion", "1.0");
    private static final Header JSON = header("content-type", "application/json");

    private final Header source;

    /**
     * @param source the CloudEvents attribute {@code source}
     */
    CloudEventRecords(String source) {
        this.source = header("ce_source", source);
    }

    ProducerRecord<String, byte[]> record(StoredEvent event) {
        var record = new ProducerRecord<>(event.topic(), event.aggregateId(), event.payload());
        Headers headers = record.headers();
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            headers.add(header(header.getKey(), header.getValue()));
        }
        headers.add(SPEC_VERSION);
        headers.add(header("ce_id", event.id().toString()));
        headers.add(source);
        headers.add(header("ce_type", event.type()));
        headers.add(header("ce_time", event.createdAt()));
        headers.add(header("ce_subject", event.aggregateId()));
        headers.add(header("ce_sequence", Long.toString(event.sequence())));
        headers.add(JSON);
        return record;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
