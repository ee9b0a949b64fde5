package dev.outboxlog.bench;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The limit: a process that does nothing but send the same events to Kafka, with the relay's guarantees and no database. */
public final class RawProducer {

    private RawProducer() {}

    /** Arguments: bootstrap servers, topic, events, aggregates. */
    public static void main(String[] arguments) {
        String topic = arguments[1];
        int events = Integer.parseInt(arguments[2]);
        int aggregates = Integer.parseInt(arguments[3]);
        String filler = "0123456789abcdef".repeat(28);
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", arguments[0],
                        "acks", "all",
                        "enable.idempotence", "true",
                        "linger.ms", "5",
                        "batch.size", "131072"),
                new StringSerializer(),
                new ByteArraySerializer())) {
            producer.partitionsFor(topic);
            for (int n = 0; n < events; n++) {
                String payload = "{\"n\":" + n + ",\"text\":\"" + filler + "\"}";
                producer.send(new ProducerRecord<>(
                        topic, "aggregate-" + n % aggregates, payload.getBytes(StandardCharsets.UTF_8)));
            }
        }
    }
}
