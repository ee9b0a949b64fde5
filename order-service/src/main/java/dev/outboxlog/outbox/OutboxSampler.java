package dev.outboxlog.outbox;

import io.quarkus.reactive.datasource.ReactiveDataSource;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Reads from time to time how much waits, and how long. Index probes of the lanes' heads, a count that stops at 10 000 a lane, and the small
 * table of holds: the cost does not grow with the outbox.
 */
@ApplicationScoped
class OutboxSampler {

    private static final Logger LOG = Logger.getLogger(OutboxSampler.class);
    private static final List<String> HELD_STATES = List.of("retrying", "blocked", "parked");

    private static final String SAMPLE = """
            SELECT
              (SELECT COALESCE(sum(waiting.events), 0)::bigint
               FROM outbox_lane_now l
               CROSS JOIN LATERAL (
                 SELECT count(*) AS events
                 FROM (SELECT FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT 10000) counted
               ) waiting) AS pending,
              (SELECT extract(epoch FROM clock_timestamp() - min(oldest.created_at))::double precision
               FROM (
                 SELECT head.created_at
                 FROM outbox_lane_now l
                 CROSS JOIN LATERAL (
                   SELECT e.created_at FROM outbox_log e WHERE e.lane = l.lane AND e.position > l.cursor ORDER BY e.position LIMIT 1
                 ) head
                 UNION ALL
                 SELECT e.created_at
                 FROM outbox_hold h
                 JOIN outbox_log e ON e.lane = h.lane AND e.position = h.position
                 WHERE h.state <> 'discarded' AND NOT h.replay
               ) oldest) AS oldest_age,
              (SELECT count(*) FROM outbox_hold WHERE state = 'retrying') AS retrying,
              (SELECT count(*) FROM outbox_hold WHERE state = 'blocked') AS blocked,
              (SELECT count(*) FROM outbox_hold WHERE state = 'parked') AS parked
            """;

    private record Sample(long pending, double oldestAgeSeconds, Map<String, Long> held, long takenNanos) {}

    private final Pool pool;
    private final Vertx vertx;
    private final OutboxConfig config;
    private final OutboxMetrics metrics;
    private final AtomicBoolean busy = new AtomicBoolean();
    private volatile Sample last;
    private long timer = -1;

    OutboxSampler(@ReactiveDataSource("relay") Pool pool, Vertx vertx, OutboxConfig config, OutboxMetrics metrics) {
        this.pool = pool;
        this.vertx = vertx;
        this.config = config;
        this.metrics = metrics;
    }

    void start(@Observes StartupEvent started) {
        Map<String, Supplier<Number>> held = new HashMap<>();
        HELD_STATES.forEach(state ->
                held.put(state, () -> last == null ? Double.NaN : last.held().get(state)));
        metrics.sampled(
                () -> last == null ? Double.NaN : last.pending(),
                () -> last == null ? Double.NaN : last.oldestAgeSeconds(),
                held,
                () -> last == null ? Double.NaN : (System.nanoTime() - last.takenNanos()) / 1e9);
        sample();
        timer = vertx.setPeriodic(config.sampler().interval().toMillis(), tick -> sample());
    }

    void stop(@Observes ShutdownEvent stopping) {
        vertx.cancelTimer(timer);
    }

    private void sample() {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        read().ifNoItem()
                .after(config.statementTimeout())
                .fail()
                .onTermination()
                .invoke(() -> busy.set(false))
                .subscribe()
                .with(sample -> last = sample, failure -> LOG.warnf("the outbox could not be sampled: %s", failure));
    }

    private Uni<Sample> read() {
        return pool.preparedQuery(SAMPLE).execute().map(rows -> {
            Row row = rows.iterator().next();
            Double age = row.getDouble("oldest_age");
            Map<String, Long> held = new HashMap<>();
            HELD_STATES.forEach(state -> held.put(state, row.getLong(state)));
            return new Sample(row.getLong("pending"), age == null ? 0 : age, held, System.nanoTime());
        });
    }
}
