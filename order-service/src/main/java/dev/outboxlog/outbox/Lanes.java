package dev.outboxlog.outbox;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.stream.Stream;

/** The fixed number of totally ordered sub-logs that the outbox consists of. */
final class Lanes {

    /** How many there are. A constant of the schema: an aggregate must always fall into the same lane. */
    static final int COUNT = 64;

    private Lanes() {}

    /** The lane of an aggregate: the same as {@code outbox_lane_of(text)} in the database says. */
    static int of(String aggregateId) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(aggregateId.getBytes(StandardCharsets.UTF_8));
            return digest[0] & (COUNT - 1);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Numbers of lanes as the database takes them. */
    static Short[] numbers(Stream<Integer> lanes) {
        return lanes.map(Integer::shortValue).toArray(Short[]::new);
    }
}
