package dev.outboxlog.inbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;

/** How far {@code processed_events} remembers: its partitions and the table {@code inbox_horizon}. */
@Singleton
class Memory {

    private static final int DAYS_AHEAD = 2;
    private static final int TIME_BITS = 48;

    private static final String MAKE_PARTITIONS = """
            SELECT inbox_make_partitions($1) AS made
            """;

    private static final String FORGET = """
            SELECT inbox_forget(now() - make_interval(secs => $1)) AS dropped
            """;

    private static final String HORIZON = """
            SELECT forgotten_before
            FROM inbox_horizon
            """;

    private final Pool pool;

    Memory(Pool pool) {
        this.pool = pool;
    }

    /** Makes the partitions of the next days where they are missing. */
    Uni<Integer> prepare() {
        return pool.preparedQuery(MAKE_PARTITIONS)
                .execute(Tuple.of(DAYS_AHEAD))
                .map(rows -> rows.iterator().next().getInteger("made"));
    }

    /** Forgets whole days that are older than the window; returns how many. */
    Uni<Integer> forget(Duration window) {
        return pool.preparedQuery(FORGET)
                .execute(Tuple.of((double) window.toSeconds()))
                .map(rows -> rows.iterator().next().getInteger("dropped"));
    }

    /**
     * The horizon. To be read after the claim of a transaction: a day that is forgotten in between cannot hide from it.
     */
    Uni<Horizon> horizon(SqlConnection transaction) {
        return transaction.preparedQuery(HORIZON).execute().map(rows -> {
            OffsetDateTime before = rows.iterator().next().getOffsetDateTime("forgotten_before");
            return new Horizon(before == null ? null : before.toInstant());
        });
    }

    /**
     * The moment before which ids may have been forgotten.
     *
     * @param before null where nothing was ever forgotten
     */
    record Horizon(Instant before) {

        private static final int TIME_ORDERED = 7;

        /** Whether a new id may be an old one that was forgotten. Only ids with a time in them are ever forgotten. */
        boolean hides(UUID id) {
            return before != null
                    && id.version() == TIME_ORDERED
                    && (id.getMostSignificantBits() >>> (Long.SIZE - TIME_BITS)) < before.toEpochMilli();
        }
    }
}
