package dev.outboxlog.outbox;

import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where an application leaves the events that must be published if, and only if, its transaction commits.
 *
 * <pre>{@code
 * pool.withTransaction(tx -> orders.insert(tx, order).chain(() -> outbox.append(tx, event)))
 *     .invoke(outbox::nudge)
 * }</pre>
 */
@ApplicationScoped
public class Outbox {

    // The payload goes as text: a client that knows it as JSON would parse it and write other bytes than it was given.
    private static final String APPEND = """
            INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload, headers)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::json, $8)
            """;

    private final long maxEventSize;
    private final Wakeups wakeups;

    Outbox(OutboxConfig config, Wakeups wakeups) {
        this.maxEventSize = config.maxEventSize().asLongValue();
        this.wakeups = wakeups;
    }

    /**
     * Appends one event in the caller's transaction.
     *
     * <p>Until the transaction ends it holds a lock that lets no other transaction append to the event's lane: make this the last
     * statement before the commit.
     *
     * @param tx a connection with an open transaction; the append becomes durable with its commit and vanishes with its rollback
     * @return fails with {@link EventTooLargeException} before anything is sent to the database, and with the database's error if, for
     *     example, an event with this id exists
     */
    public Uni<Void> append(SqlConnection tx, OutboxEvent event) {
        return append(tx, List.of(event));
    }

    /**
     * Appends several events in the caller's transaction: those of one aggregate in the given order, those of different aggregates in the
     * order of their lanes, which keeps two such transactions from waiting for each other.
     *
     * @see #append(SqlConnection, OutboxEvent)
     */
    public Uni<Void> append(SqlConnection tx, List<OutboxEvent> events) {
        if (events.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        for (OutboxEvent event : events) {
            long bytes = size(event);
            if (bytes > maxEventSize) {
                return Uni.createFrom().failure(new EventTooLargeException(event.id(), bytes, maxEventSize));
            }
        }
        var statement = tx.preparedQuery(APPEND);
        if (events.size() == 1) {
            return statement.execute(parameters(events.get(0))).replaceWithVoid();
        }
        List<Tuple> inLaneOrder = events.stream()
                .sorted(Comparator.comparingInt(event -> Lanes.of(event.aggregateId())))
                .map(Outbox::parameters)
                .toList();
        return statement.executeBatch(inLaneOrder).replaceWithVoid();
    }

    /**
     * Tells this process's relay that something was committed, so that it need not wait for its next poll. A hint: an event whose nudge is
     * lost is found by polling. Never blocks.
     */
    public void nudge() {
        wakeups.wake();
    }

    private static Tuple parameters(OutboxEvent event) {
        return Tuple.from(new Object[] {
            event.id(),
            event.topic(),
            event.type(),
            event.aggregateType(),
            event.aggregateId(),
            event.sequence(),
            event.payload(),
            event.headers().isEmpty() ? null : new JsonObject(new HashMap<>(event.headers()))
        });
    }

    private static long size(OutboxEvent event) {
        long bytes = utf8Length(event.payload());
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            bytes += utf8Length(header.getKey()) + utf8Length(header.getValue());
        }
        return bytes;
    }

    private static long utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
