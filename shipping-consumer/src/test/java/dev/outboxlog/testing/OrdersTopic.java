package dev.outboxlog.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.outboxlog.local.LocalServers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes to the topic what order-service would, and what it never would. */
public final class OrdersTopic implements AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;

    public OrdersTopic() {
        this(System.getProperty("kafka.bootstrap.servers"));
    }

    public OrdersTopic(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "acks", "all", "linger.ms", 5),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** An id as order-service makes them. */
    public static String newOrderId() {
        return UuidCreator.getTimeOrderedEpoch().toString();
    }

    /** One event with its headers; every part may be replaced to break it. */
    public record Event(
            UUID id, byte[] key, byte[] value, Map<String, byte[]> headers, List<Map.Entry<String, byte[]>> more) {

        /** The same event with another value. */
        public Event withValue(byte[] otherValue) {
            return new Event(id, key, otherValue, headers, more);
        }

        /** The same event with another value. */
        public Event withValue(String otherValue) {
            return withValue(otherValue.getBytes(UTF_8));
        }

        /** The same event with another key. */
        public Event withKey(byte[] otherKey) {
            return new Event(id, otherKey, value, headers, more);
        }

        /** The same event with another value of a header, or without the header where the value is null. */
        public Event withHeader(String name, String text) {
            Map<String, byte[]> other = new LinkedHashMap<>(headers);
            if (text == null) {
                other.remove(name);
            } else {
                other.put(name, text.getBytes(UTF_8));
            }
            return new Event(id, key, value, other, more);
        }

        /** The same event with one header more, even if there is one of that name. */
        public Event withAnother(String name, String text) {
            List<Map.Entry<String, byte[]>> added = new ArrayList<>(more);
            added.add(Map.entry(name, text.getBytes(UTF_8)));
            return new Event(id, key, value, headers, added);
        }
    }

    public static Event created(String orderId) {
        return event("order.created", orderId, 1, """
                {"orderId":"%s","customerId":"c-1","lines":[{"sku":"A-1","quantity":2,"unitPriceMinor":1250,"currency":"EUR"}],
                 "totalMinor":2500,"currency":"EUR","shippingAddress":%s,"channel":"of a later version"}
                """.formatted(orderId, address("Main Street 1")));
    }

    public static Event addressChanged(String orderId, long sequence, String street) {
        return event(
                "order.address-changed",
                orderId,
                sequence,
                "{\"orderId\":\"%s\",\"shippingAddress\":%s}".formatted(orderId, address(street)));
    }

    public static Event cancelled(String orderId, long sequence) {
        return event("order.cancelled", orderId, sequence, "{\"orderId\":\"%s\"}".formatted(orderId));
    }

    private static String address(String street) {
        return """
                {"name":"Ada Lovelace","street":"%s","city":"London","postalCode":"W1","country":"GB"}\
                """.formatted(street);
    }

    public static Event event(String type, String orderId, long sequence, String value) {
        UUID id = UuidCreator.getTimeOrderedEpoch();
        Map<String, byte[]> headers = new LinkedHashMap<>();
        headers.put("ce_specversion", "1.0".getBytes(UTF_8));
        headers.put("ce_id", id.toString().getBytes(UTF_8));
        headers.put("ce_type", type.getBytes(UTF_8));
        headers.put("ce_source", "/order-service".getBytes(UTF_8));
        headers.put("ce_time", Instant.now().toString().getBytes(UTF_8));
        headers.put("ce_subject", orderId.getBytes(UTF_8));
        headers.put("ce_sequence", Long.toString(sequence).getBytes(UTF_8));
        headers.put("content-type", "application/json".getBytes(UTF_8));
        return new Event(id, orderId.getBytes(UTF_8), value.getBytes(UTF_8), headers, List.of());
    }

    /** Sends the events in order and waits until the broker has them. */
    public List<RecordMetadata> send(Event... events) {
        return send(List.of(events));
    }

    /** Sends the events in order and waits until the broker has them. */
    public List<RecordMetadata> send(List<Event> events) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (Event event : events) {
            ProducerRecord<byte[], byte[]> record =
                    new ProducerRecord<>(LocalServers.TOPIC, event.key(), event.value());
            event.headers().forEach((name, value) -> record.headers().add(name, value));
            event.more().forEach(header -> record.headers().add(header.getKey(), header.getValue()));
            sent.add(producer.send(record));
        }
        producer.flush();
        return sent.stream().map(OrdersTopic::get).toList();
    }

    private static RecordMetadata get(Future<RecordMetadata> sent) {
        try {
            return sent.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("the broker did not take the record", e);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
