package dev.outboxlog.bench;

import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Producers with the guarantees and buffers of the relay's. */
final class Producers {

    /** For those who send many at once. */
    static final int BATCHING_LINGER = 5;
    /** For those who wait for each. */
    static final int NO_LINGER = 0;

    private Producers() {}

    static KafkaProducer<String, byte[]> start(String bootstrapServers, int lingerMillis) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "acks", "all",
                        "enable.idempotence", "true",
                        "linger.ms", Integer.toString(lingerMillis),
                        "batch.size", "131072",
                        "buffer.memory", "33554432"),
                new StringSerializer(),
                new ByteArraySerializer());
    }
}
