package dev.outboxlog.inbox;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record as it came, byte by byte: what is parked, and what a retry parses again.
 *
 * @param topic where it came from
 * @param partition of the topic
 * @param offset in the partition
 * @param key may be null
 * @param value may be null
 * @param headers in the order in which they came; a name may come twice
 */
record RawRecord(String topic, int partition, long offset, byte[] key, byte[] value, List<RawHeader> headers) {

    RawRecord {
        Objects.requireNonNull(topic, "topic");
        headers = List.copyOf(headers);
    }

    /** One header; the value may be null. */
    record RawHeader(String name, byte[] value) {
        RawHeader {
            Objects.requireNonNull(name, "name");
        }

        /** The value as text, null where there is none; bytes that are no UTF-8 become U+FFFD. */
        String text() {
            return value == null ? null : new String(value, StandardCharsets.UTF_8);
        }
    }

    static RawRecord of(ConsumerRecord<byte[], byte[]> kafka) {
        List<RawHeader> headers = new ArrayList<>();
        kafka.headers().forEach(header -> headers.add(new RawHeader(header.key(), header.value())));
        return new RawRecord(kafka.topic(), kafka.partition(), kafka.offset(), kafka.key(), kafka.value(), headers);
    }

    /** SHA-256 over everything that the producer chose: key, value and headers. */
    byte[] fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            update(digest, key);
            update(digest, value);
            for (RawHeader header : headers) {
                update(digest, header.name().getBytes(StandardCharsets.UTF_8));
                update(digest, header.value());
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The length goes first, so that no two records that differ look alike. */
    private static void update(MessageDigest digest, byte[] bytes) {
        int length = bytes == null ? -1 : bytes.length;
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
        if (bytes != null) {
            digest.update(bytes);
        }
    }
}
