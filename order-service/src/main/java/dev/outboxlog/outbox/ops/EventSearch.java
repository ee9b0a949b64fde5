package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lists events, newest first, a page at a time. First the places of a page's events are found, each kind of filter by the index that suits
 * it; then the events are read. No page looks at more than {@value #SCANNED} events, so that a rare topic among many millions costs many
 * pages and not one endless statement.
 */
@ApplicationScoped
class EventSearch {

    /** How many events one page may look at. */
    static final int SCANNED = 20_000;

    // By outbox_log_by_time. The row that reaches the bound is given even if it is not wanted: it tells where to go
    // on.
    private static final String BY_TIME = """
            SELECT s.lane, s.position, s.created_at, s.wanted, s.number = $8 AS bound_reached
            FROM (
              SELECT e.lane, e.position, e.created_at,
                     ($5::text IS NULL OR e.topic = $5)
                     AND ($6::text IS NULL OR e.type = $6)
                     AND CASE $7::text
                       WHEN 'delivered' THEN e.position <= l.cursor
                         AND (SELECT h.position FROM outbox_hold h WHERE h.lane = e.lane AND h.position = e.position) IS NULL
                       WHEN 'pending' THEN e.position > l.cursor AND NOT l.leased
                       WHEN 'processing' THEN e.position > l.cursor AND l.leased
                       ELSE true
                     END AS wanted,
                     row_number() OVER (ORDER BY e.created_at DESC, e.position DESC) AS number
              FROM outbox_log e
              CROSS JOIN LATERAL (
                SELECT n.cursor, COALESCE(n.locked_until > clock_timestamp(), false) AS leased FROM outbox_lane n WHERE n.lane = e.lane ORDER BY n.epoch DESC LIMIT 1
              ) l
              WHERE (e.created_at, e.position) < ($1, $2) AND e.created_at >= $3 AND e.created_at < $4
              ORDER BY e.created_at DESC, e.position DESC
              LIMIT $8
            ) s
            WHERE s.wanted OR s.number = $8
            ORDER BY s.created_at DESC, s.position DESC
            LIMIT $9
            """;

    // The aggregate's lane is read backwards; most of its events are of others.
    private static final String OF_AGGREGATE = """
            SELECT s.lane, s.position, s.created_at, s.wanted, s.number = $8 AS bound_reached
            FROM (
              SELECT o.lane, o.position, o.created_at,
                     ($5::text IS NULL OR o.topic = $5) AND ($6::text IS NULL OR o.type = $6) AND ($7::text IS NULL OR o.status = $7) AS wanted,
                     row_number() OVER (ORDER BY o.position DESC) AS number
              FROM outbox o
              WHERE o.lane = outbox_lane_of($1) AND o.aggregate_id = $1 AND o.position < $2 AND o.created_at >= $3 AND o.created_at < $4
              ORDER BY o.position DESC
              LIMIT $8
            ) s
            WHERE s.wanted OR s.number = $8
            ORDER BY s.position DESC
            LIMIT $9
            """;

    // The holds, which are few, with the events that they are of.
    private static final String ON_HOLD = """
            SELECT h.lane, h.position, e.created_at, true AS wanted, false AS bound_reached
            FROM outbox_hold h
            CROSS JOIN LATERAL (
              SELECT n.created_at, n.topic, n.type FROM outbox_log n WHERE n.lane = h.lane AND n.position = h.position LIMIT 1
            ) e
            WHERE h.state = $1 AND h.position < $2
              AND e.created_at >= $3 AND e.created_at < $4
              AND ($5::text IS NULL OR e.topic = $5)
              AND ($6::text IS NULL OR e.type = $6)
            ORDER BY h.position DESC
            LIMIT $7
            """;

    // Past the cursors, lane by lane. With another filter, too, the search goes by time: a rare topic would have to
    // be looked for in all of a backlog.
    private static final String WAITING = """
            SELECT n.lane, n.position, n.created_at, true AS wanted, false AS bound_reached
            FROM outbox_lane_now l
            CROSS JOIN LATERAL (
              SELECT e.lane, e.position, e.created_at
              FROM outbox_log e
              WHERE e.lane = l.lane AND e.position > l.cursor AND e.position < $2
              ORDER BY e.position DESC
              LIMIT $3
            ) n
            WHERE COALESCE(l.locked_until > clock_timestamp(), false) = $1
            ORDER BY n.position DESC
            LIMIT $3
            """;

    private static final String READ = """
            SELECT o.id, o.topic, o.type, o.aggregate_type, o.aggregate_id, o.sequence, o.status, o.replay, o.created_at, o.delivered_at,
                   o.attempts, o.next_attempt_at, o.failure_class, o.last_error, o.lane, o.position
            FROM unnest($1::smallint[], $2::bigint[]) AS place (lane, position)
            CROSS JOIN LATERAL (
              SELECT v.id, v.topic, v.type, v.aggregate_type, v.aggregate_id, v.sequence, v.status, v.replay, v.created_at, v.delivered_at,
                     v.attempts, v.next_attempt_at, v.failure_class, v.last_error, v.lane, v.position
              FROM outbox v
              WHERE v.lane = place.lane AND v.position = place.position
              LIMIT 1
            ) o
            """;

    private final Pool pool;

    EventSearch(Pool pool) {
        this.pool = pool;
    }

    private record Place(short lane, PageToken token, boolean wanted, boolean boundReached) {
        static Place of(Row row) {
            return new Place(
                    row.getShort("lane"),
                    new PageToken(row.getOffsetDateTime("created_at"), row.getLong("position")),
                    row.getBoolean("wanted"),
                    row.getBoolean("bound_reached"));
        }
    }

    /**
     * One page.
     *
     * @param after where the page before ended
     * @param size how many events a page has at the most
     */
    Uni<EventView.Page> list(EventFilter filter, PageToken after, int size) {
        // One more than asked for tells whether there is a next page.
        return places(filter, after, size + 1).chain(rows -> {
            List<Place> places = new ArrayList<>();
            rows.forEach(row -> places.add(Place.of(row)));
            boolean isLast = places.size() <= size && places.stream().noneMatch(Place::boundReached);
            List<Place> page = places.subList(0, Math.min(size, places.size()));
            String next = isLast ? null : page.get(page.size() - 1).token().encoded();
            return read(page.stream().filter(Place::wanted).toList(), filter)
                    .map(items -> new EventView.Page(items, next));
        });
    }

    private Uni<RowSet<Row>> places(EventFilter filter, PageToken after, int limit) {
        String status = filter.status();
        if (filter.aggregateId() != null) {
            Tuple parameters = Tuple.tuple().addString(filter.aggregateId()).addLong(after.position());
            return find(OF_AGGREGATE, rest(parameters, filter).addString(status).addLong((long) SCANNED), limit);
        }
        if (status != null && EventFilter.HELD.contains(status)) {
            Tuple parameters = Tuple.tuple().addString(status).addLong(after.position());
            return find(ON_HOLD, rest(parameters, filter), limit);
        }
        if (status != null && EventFilter.WAITING.contains(status) && filter.isForStatusOnly()) {
            return find(WAITING, Tuple.of(status.equals("processing"), after.position()), limit);
        }
        Tuple parameters = Tuple.tuple().addOffsetDateTime(after.createdAt()).addLong(after.position());
        return find(BY_TIME, rest(parameters, filter).addString(status).addLong((long) SCANNED), limit);
    }

    private static Tuple rest(Tuple parameters, EventFilter filter) {
        return parameters
                .addOffsetDateTime(filter.createdFrom())
                .addOffsetDateTime(filter.createdTo())
                .addString(filter.topic())
                .addString(filter.type());
    }

    private Uni<RowSet<Row>> find(String statement, Tuple parameters, int limit) {
        return pool.preparedQuery(statement).execute(parameters.addLong((long) limit));
    }

    private Uni<List<EventView>> read(List<Place> places, EventFilter filter) {
        if (places.isEmpty()) {
            return Uni.createFrom().item(List.of());
        }
        Short[] lanes = places.stream().map(Place::lane).toArray(Short[]::new);
        Long[] positions =
                places.stream().map(place -> place.token().position()).toArray(Long[]::new);
        return pool.preparedQuery(READ).execute(Tuple.of(lanes, positions)).map(rows -> {
            Map<Long, EventView> events = new HashMap<>();
            rows.forEach(row -> events.put(row.getLong("position"), EventView.of(row)));
            // What has moved on between the two statements is not what was asked for any more.
            return places.stream()
                    .map(place -> events.get(place.token().position()))
                    .filter(event -> event != null && filter.wants(event))
                    .toList();
        });
    }
}
