package dev.outboxlog.outbox.ops;

import dev.outboxlog.outbox.RelayStatus;
import dev.outboxlog.outbox.ops.OutboxStats.Delivered;
import dev.outboxlog.outbox.ops.OutboxStats.Held;
import dev.outboxlog.outbox.ops.OutboxStats.Lanes;
import dev.outboxlog.outbox.ops.OutboxStats.Pause;
import dev.outboxlog.outbox.ops.OutboxStats.Topic;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Reads the outbox at a glance. Every count has a bound, so the cost does not grow with the outbox. */
@ApplicationScoped
class StatsRepository {

    private static final String LANES = """
            SELECT
              COALESCE(sum(s.pending), 0)::bigint AS pending,
              count(*) FILTER (WHERE s.leased)::integer AS leased,
              count(*) FILTER (WHERE NOT s.leased)::integer AS free,
              array_agg(s.lane ORDER BY s.lane) FILTER (
                WHERE NOT s.paused AND NOT s.leased
                  AND (s.abandoned OR s.oldest < clock_timestamp() - interval '10 seconds')) AS without_service,
              array_agg(s.lane ORDER BY s.lane) FILTER (WHERE s.claims_without_progress > 1) AS without_progress,
              array_agg(s.lane ORDER BY s.lane) FILTER (WHERE s.paused) AS paused,
              extract(epoch FROM clock_timestamp() - LEAST(min(s.oldest), (
                SELECT min(e.created_at)
                FROM (SELECT h.lane, h.position FROM outbox_hold h WHERE h.state <> 'discarded' AND NOT h.replay LIMIT 100000) h
                CROSS JOIN LATERAL (
                  SELECT n.created_at FROM outbox_log n WHERE n.lane = h.lane AND n.position = h.position LIMIT 1
                ) e
              )))::double precision AS oldest_seconds
            FROM (
              SELECT l.lane,
                     l.claims_without_progress,
                     COALESCE(l.locked_until > clock_timestamp(), false) AS leased,
                     COALESCE(l.locked_until <= clock_timestamp(), false) AS abandoned,
                     EXISTS (
                       SELECT FROM outbox_pause p WHERE p.scope = 'all' OR p.scope = 'lane' AND p.target = l.lane::text
                     ) AS paused,
                     waiting.events AS pending,
                     head.created_at AS oldest
              FROM outbox_lane_now l
              CROSS JOIN LATERAL (
                SELECT count(*) AS events
                FROM (SELECT FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT 10000) counted
              ) waiting
              LEFT JOIN LATERAL (
                SELECT e.created_at FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT 1
              ) head ON true
            ) s
            """;

    private static final String HELD = """
            SELECT count(*) FILTER (WHERE h.state = 'retrying') AS retrying,
                   count(*) FILTER (WHERE h.state = 'blocked') AS blocked,
                   count(*) FILTER (WHERE h.state = 'parked') AS parked,
                   count(*) FILTER (WHERE h.state = 'discarded') AS discarded,
                   count(*) FILTER (WHERE h.replay) AS replays
            FROM (SELECT b.state, b.replay FROM outbox_hold b LIMIT 100000) h
            """;

    private static final String DELIVERED = """
            SELECT COALESCE(sum(d.events) FILTER (WHERE d.delivered_at > clock_timestamp() - interval '1 minute'), 0)::bigint AS last_minute,
                   COALESCE(sum(d.events), 0)::bigint AS last_five_minutes,
                   COALESCE(sum(d.events) FILTER (WHERE d.replay), 0)::bigint AS replays,
                   (SELECT max(n.delivered_at) FROM outbox_delivery n) AS latest
            FROM (
              SELECT b.events, b.delivered_at, b.replay
              FROM outbox_delivery b
              WHERE b.delivered_at > now() - interval '5 minutes'
              ORDER BY b.delivered_at DESC
              LIMIT 100000
            ) d
            """;

    private static final String PAUSES = """
            SELECT p.scope, NULLIF(p.target, '') AS target, p.since, p.who, p.why
            FROM outbox_pause p
            ORDER BY p.since
            LIMIT 1000
            """;

    private static final String TOPICS = """
            SELECT t.topic, count(*) FILTER (WHERE NOT t.held) AS pending, count(*) FILTER (WHERE t.held) AS on_hold
            FROM (
              SELECT n.topic, false AS held
              FROM outbox_lane_now l
              CROSS JOIN LATERAL (
                SELECT e.topic FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT 1000
              ) n
              UNION ALL
              SELECT e.topic, true
              FROM (SELECT b.lane, b.position FROM outbox_hold b WHERE b.state <> 'discarded' LIMIT 100000) h
              CROSS JOIN LATERAL (SELECT n.topic FROM outbox_log n WHERE n.lane = h.lane AND n.position = h.position LIMIT 1) e
            ) t
            GROUP BY t.topic
            ORDER BY count(*) DESC, t.topic
            LIMIT 100
            """;

    private final Pool pool;
    private final RelayStatus relay;

    StatsRepository(Pool pool, RelayStatus relay) {
        this.pool = pool;
        this.relay = relay;
    }

    Uni<OutboxStats> read() {
        return Uni.combine()
                .all()
                .unis(rows(LANES), rows(HELD), rows(DELIVERED), rows(PAUSES), rows(TOPICS))
                .with((lanes, held, delivered, pauses, topics) -> stats(
                        first(lanes),
                        held(first(held)),
                        delivered(first(delivered)),
                        list(pauses, StatsRepository::pause),
                        list(topics, StatsRepository::topic)));
    }

    private Uni<RowSet<Row>> rows(String statement) {
        return pool.preparedQuery(statement).execute();
    }

    private OutboxStats stats(Row lanes, Held held, Delivered delivered, List<Pause> pauses, List<Topic> topics) {
        return new OutboxStats(
                lanes.getLong("pending"),
                held,
                lanes.getDouble("oldest_seconds"),
                new Lanes(
                        lanes.getInteger("leased"),
                        lanes.getInteger("free"),
                        numbers(lanes, "without_service"),
                        numbers(lanes, "without_progress"),
                        numbers(lanes, "paused")),
                delivered,
                pauses,
                topics,
                relay.view());
    }

    private static Held held(Row row) {
        return new Held(
                row.getLong("retrying"),
                row.getLong("blocked"),
                row.getLong("parked"),
                row.getLong("discarded"),
                row.getLong("replays"));
    }

    private static Delivered delivered(Row row) {
        OffsetDateTime latest = row.getOffsetDateTime("latest");
        return new Delivered(
                row.getLong("last_minute"),
                row.getLong("last_five_minutes"),
                row.getLong("replays"),
                latest == null ? null : latest.toInstant());
    }

    private static Pause pause(Row row) {
        return new Pause(
                row.getString("scope"),
                row.getString("target"),
                row.getOffsetDateTime("since").toInstant(),
                row.getString("who"),
                row.getString("why"));
    }

    private static Topic topic(Row row) {
        return new Topic(row.getString("topic"), row.getLong("pending"), row.getLong("on_hold"));
    }

    private static List<Integer> numbers(Row row, String column) {
        Short[] lanes = row.getArrayOfShorts(column);
        return lanes == null
                ? List.of()
                : Arrays.stream(lanes).map(Short::intValue).toList();
    }

    private static Row first(RowSet<Row> rows) {
        return rows.iterator().next();
    }

    private static <T> List<T> list(RowSet<Row> rows, Function<Row, T> mapper) {
        List<T> list = new ArrayList<>(rows.size());
        rows.forEach(row -> list.add(mapper.apply(row)));
        return list;
    }
}
