package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.SQLException;

/** Fills the log with events that were delivered long ago. */
final class DeliveredLog {

    private static final int CHUNK = 500_000;
    private static final int EVENTS_PER_DELIVERY = 125;

    private DeliveredLog() {}

    /**
     * Writes the table under the view, as only its owner can: the trigger would take an hour. Ids rise with time, as those of real events do;
     * the ledger has a row for each batch of a lane.
     */
    static void fill(Connection connection, int events) throws SQLException {
        for (int from = 1; from <= events; from += CHUNK) {
            int to = Math.min(events, from + CHUNK - 1);
            Sql.update(connection, """
                    INSERT INTO outbox_log (
                      lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, payload)
                    SELECT mod(n, 64), n, n, now(), uuidv7(), 490, 'long-ago', 'bench.event', 'bench', 'aggregate-' || mod(n, 64),
                           ('{"n":' || n || ',"text":"' || repeat(md5(n::text), 15) || '"}')::json
                    FROM generate_series(?, ?) AS n
                    """, from, to);
            System.out.printf("  %d of %d delivered events are there%n", to, events);
        }
        Sql.update(connection, """
                INSERT INTO outbox_delivery (lane, first_position, last_position, events, epoch, offsets)
                SELECT lane, first, LEAST(first + 64 * (? - 1), ?), ?, 1, '{"long-ago-0": [0, 124]}'
                FROM generate_series(0, 63) AS lane, generate_series(lane + 1, ?::bigint, 64 * ?) AS first
                """, EVENTS_PER_DELIVERY, events, EVENTS_PER_DELIVERY, events, EVENTS_PER_DELIVERY);
        Sql.execute(
                connection,
                "SELECT setval('outbox_position', " + events + ")",
                "UPDATE outbox_lane SET cursor = " + events,
                "VACUUM (FREEZE, ANALYZE)",
                "CHECKPOINT");
    }
}
