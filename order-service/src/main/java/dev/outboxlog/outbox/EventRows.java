package dev.outboxlog.outbox;

import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Makes events of the rows of {@link LaneClaims}'s statements. */
final class EventRows {

    private EventRows() {}

    /** The rows without Mutiny's wrappers, which would be one more object for every event. */
    @SuppressWarnings("unchecked")
    static io.vertx.sqlclient.RowSet<Row> bare(RowSet<io.vertx.mutiny.sqlclient.Row> rows) {
        return rows.getDelegate();
    }

    /** The lanes that a claim has returned, each with its events in the order of their positions. */
    static Map<Integer, ClaimedLane> claimedLanes(RowSet<io.vertx.mutiny.sqlclient.Row> rows) {
        Map<Integer, ClaimedLane> lanes = new HashMap<>();
        ClaimedLane lane = null;
        for (Row row : bare(rows)) {
            int number = row.getShort(0);
            if (lane == null || lane.lane() != number) {
                lane = lanes.computeIfAbsent(number, first -> claimedLane(first, row));
            }
            if (row.getLong(1) != null) {
                lane.events().add(event(row, row.getBoolean(10), 0));
            }
        }
        // A joined result has no order of its own. This one comes sorted in practice, which costs a sort next to
        // nothing.
        lanes.values().forEach(claimed -> claimed.events().sort(Comparator.comparingLong(StoredEvent::position)));
        return lanes;
    }

    private static ClaimedLane claimedLane(int number, Row row) {
        return new ClaimedLane(
                number,
                row.getLong("epoch"),
                row.getLong("cursor"),
                row.getBoolean("taken_over"),
                row.getBoolean("holds_due"),
                row.getInteger("claims_without_progress") - 1,
                new ArrayList<>(),
                new ArrayList<>());
    }

    /** An event from the first columns of a row. By number and not by name: this runs for every event. */
    static StoredEvent event(Row row, boolean held, int attempts) {
        JsonObject headers = (JsonObject) row.getValue(9);
        return new StoredEvent(
                row.getShort(0),
                row.getLong(1),
                row.getUUID(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6),
                row.getString(7),
                row.getBuffer(8).getBytes(),
                headers == null ? Map.of() : strings(headers),
                held,
                attempts);
    }

    private static Map<String, String> strings(JsonObject object) {
        Map<String, String> strings = new HashMap<>();
        object.forEach(entry -> strings.put(entry.getKey(), String.valueOf(entry.getValue())));
        return strings;
    }
}
