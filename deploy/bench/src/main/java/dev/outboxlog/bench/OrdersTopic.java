package dev.outboxlog.bench;

import com.github.f4b6a3.uuid.UuidCreator;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Fills a topic with events of placed orders, as order-service writes them. */
final class OrdersTopic {

    private OrdersTopic() {}

    /** Sends so many events, each of an order of its own, and waits until the broker has them. */
    static void fill(String bootstrapServers, String topic, int events) {
        try (KafkaProducer<String, byte[]> producer = Producers.start(bootstrapServers, Producers.BATCHING_LINGER)) {
            for (int n = 0; n < events; n++) {
                producer.send(placed(topic, n));
            }
        }
    }

    private static ProducerRecord<String, byte[]> placed(String topic, int n) {
        String order = UuidCreator.getTimeOrderedEpoch().toString();
        String value = "{\"orderId\":\"" + order + "\",\"totalMinor\":4497,\"currency\":\"EUR\","
                + Orders.json(n).substring(1);
        var record = new ProducerRecord<>(topic, order, value.getBytes(StandardCharsets.UTF_8));
        Map.of(
                        "ce_specversion", "1.0",
                        "ce_id", UuidCreator.getTimeOrderedEpoch().toString(),
                        "ce_source", "/order-service",
                        "ce_type", "order.created",
                        "ce_time", Instant.now().toString(),
                        "ce_subject", order,
                        "ce_sequence", "1",
                        "content-type", "application/json")
                .forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        return record;
    }
}
