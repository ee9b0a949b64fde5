package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Reads what became of events, and what people did. */
@ApplicationScoped
class EventHistory {

    private static final String PLACE = """
            SELECT e.lane, e.position, e.id
            FROM outbox_log e
            WHERE e.id = $1
            LIMIT 1
            """;

    private static final String EVENT = """
            SELECT o.id, o.topic, o.type, o.aggregate_type, o.aggregate_id, o.sequence, o.status, o.replay, o.created_at, o.delivered_at,
                   o.attempts, o.next_attempt_at, o.failure_class, o.last_error, o.lane, o.position, o.headers, o.payload::text AS payload,
                   (SELECT h.held_since FROM outbox_hold h WHERE h.lane = o.lane AND h.position = o.position) AS held_since
            FROM outbox o
            WHERE o.lane = $1 AND o.position = $2
            """;

    // Rows for this event alone, and the batch that spans its position: the first that ends at it or later, by
    // outbox_delivery_batches. An event that was on hold left alone, although a batch may span it.
    private static final String DELIVERIES = """
            WITH alone AS (
              SELECT d.delivered_at, d.epoch, d.replay, d.offsets
              FROM outbox_delivery d
              WHERE d.lane = $1 AND d.last_position = $2 AND d.first_position = $2
            ), batch AS (
              SELECT b.delivered_at, b.epoch, b.replay, b.offsets
              FROM (
                SELECT d.delivered_at, d.epoch, d.replay, d.offsets, d.first_position
                FROM outbox_delivery d
                WHERE d.lane = $1 AND d.last_position >= $2 AND d.first_position < d.last_position
                ORDER BY d.last_position
                LIMIT 1
              ) b
              WHERE b.first_position <= $2 AND NOT EXISTS (SELECT FROM alone a WHERE NOT a.replay)
            )
            SELECT a.delivered_at, a.epoch, a.replay, a.offsets FROM alone a
            UNION ALL
            SELECT b.delivered_at, b.epoch, b.replay, b.offsets FROM batch b
            ORDER BY delivered_at
            """;

    private static final String ACTIONS_OF_EVENT = """
            SELECT a.action_id, a.acted_at, a.action, a.who, a.why, a.target, a.affected, a.outcome
            FROM outbox_action_event e
            JOIN outbox_action a ON a.action_id = e.action_id
            WHERE e.lane = $1 AND e.position = $2
            ORDER BY a.action_id
            LIMIT 1000
            """;

    private static final String ACTIONS = """
            SELECT a.action_id, a.acted_at, a.action, a.who, a.why, a.target, a.affected, a.outcome
            FROM outbox_action a
            WHERE a.action_id < $1
            ORDER BY a.action_id DESC
            LIMIT $2
            """;

    private final Pool pool;

    EventHistory(Pool pool) {
        this.pool = pool;
    }

    /** Where an event is; empty if there is none with this id. */
    Uni<Optional<EventPlace>> place(UUID id) {
        return pool.preparedQuery(PLACE)
                .execute(Tuple.of(id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : list(
                                        rows,
                                        row -> new EventPlace(
                                                row.getShort("lane"), row.getLong("position"), row.getUUID("id")))
                                .stream()
                                .findFirst());
    }

    /** An event with all that became of it. */
    Uni<Optional<EventView.History>> find(UUID id) {
        return place(id).chain(found -> found.isEmpty() ? Uni.createFrom().item(Optional.empty()) : find(found.get()));
    }

    private Uni<Optional<EventView.History>> find(EventPlace place) {
        Tuple parameters = Tuple.of((short) place.lane(), place.position());
        return pool.preparedQuery(EVENT).execute(parameters).chain(rows -> {
            if (rows.size() == 0) {
                return Uni.createFrom().item(Optional.empty());
            }
            Row row = rows.iterator().next();
            EventView event = EventView.of(row);
            Uni<List<EventView.Delivery>> deliveries = event.wasDelivered()
                    ? pool.preparedQuery(DELIVERIES)
                            .execute(parameters)
                            .map(found -> list(found, delivery -> EventView.Delivery.of(delivery, event.topic())))
                    : Uni.createFrom().item(List.of());
            Uni<List<EventView.Action>> actions = pool.preparedQuery(ACTIONS_OF_EVENT)
                    .execute(parameters)
                    .map(found -> list(found, EventView.Action::of));
            return Uni.combine()
                    .all()
                    .unis(deliveries, actions)
                    .with((left, done) -> Optional.of(EventView.History.of(row, left, done)));
        });
    }

    /** What people did, newest first. */
    Uni<List<EventView.Action>> actions(long before, int limit) {
        return pool.preparedQuery(ACTIONS)
                .execute(Tuple.of(before, (long) limit))
                .map(rows -> list(rows, EventView.Action::of));
    }

    private static <T> List<T> list(RowSet<Row> rows, Function<Row, T> mapper) {
        List<T> list = new ArrayList<>(rows.size());
        rows.forEach(row -> list.add(mapper.apply(row)));
        return list;
    }
}
