package dev.outboxlog.shipping;

import dev.outboxlog.shipping.ShipmentChange.Refusal;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The table {@code shipments}. */
@Singleton
class Shipments {

    /** In the order of the key, so that two transactions never wait for each other in a circle. */
    private static final String LOCK = """
            SELECT order_id, order_version, status
            FROM shipments
            WHERE order_id = ANY ($1::text[])
            ORDER BY order_id
            FOR UPDATE
            """;

    /** No ON CONFLICT: a row that appears in between is an error, and the next attempt finds it. */
    private static final String INSERT = """
            INSERT INTO shipments (
                order_id, order_version, status, customer_id, lines, total_minor, currency, shipping_address, refusals,
                cancelled_at)
            SELECT
                u.order_id, u.order_version, u.status, u.customer_id, u.lines::jsonb, u.total_minor, u.currency,
                u.shipping_address::jsonb,
                CASE WHEN u.refusals IS NULL THEN '[]' ELSE (
                    SELECT jsonb_agg(r || jsonb_build_object('refusedAt', now()))
                    FROM jsonb_array_elements(u.refusals::jsonb) AS r
                ) END,
                CASE WHEN u.status = 'cancelled' THEN now() END
            FROM unnest(
                $1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
                $9::text[])
                AS u (order_id, order_version, status, customer_id, lines, total_minor, currency, shipping_address,
                    refusals)
            """;

    private static final String UPDATE = """
            UPDATE shipments AS s
            SET order_version = u.order_version,
                status = u.status,
                shipping_address = COALESCE(u.shipping_address::jsonb, s.shipping_address),
                refusals = CASE WHEN u.refusals IS NULL THEN s.refusals ELSE s.refusals || (
                    SELECT jsonb_agg(r || jsonb_build_object('refusedAt', now()))
                    FROM jsonb_array_elements(u.refusals::jsonb) AS r
                ) END,
                updated_at = now(),
                cancelled_at = CASE WHEN u.status = 'cancelled' THEN COALESCE(s.cancelled_at, now()) END
            FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])
                AS u (order_id, order_version, status, shipping_address, refusals)
            WHERE s.order_id = u.order_id
            """;

    private static final String SKIP = """
            UPDATE shipments
            SET order_version = GREATEST(order_version, $2), updated_at = now()
            WHERE order_id = $1
            """;

    private static final String FIND = """
            SELECT order_id, order_version, status, customer_id, lines, total_minor, currency, shipping_address, refusals,
                created_at, updated_at, dispatched_at, cancelled_at
            FROM shipments
            WHERE order_id = $1
            """;

    private static final String LIST = """
            SELECT order_id, order_version, status, customer_id, lines, total_minor, currency, shipping_address, refusals,
                created_at, updated_at, dispatched_at, cancelled_at
            FROM shipments
            WHERE order_id > $1
            ORDER BY order_id
            LIMIT $2
            """;

    private static final String LIST_BY_STATUS = """
            SELECT order_id, order_version, status, customer_id, lines, total_minor, currency, shipping_address, refusals,
                created_at, updated_at, dispatched_at, cancelled_at
            FROM shipments
            WHERE status = $3 AND order_id > $1
            ORDER BY order_id
            LIMIT $2
            """;

    private static final String DISPATCH = """
            UPDATE shipments
            SET status = 'dispatched', dispatched_at = now(), updated_at = now()
            WHERE order_id = $1 AND status = 'preparing'
            """;

    private final Pool pool;

    Shipments(Pool pool) {
        this.pool = pool;
    }

    /** Locks the rows of some orders until the transaction ends; those that are missing are missing in the map. */
    Uni<Map<String, ShipmentChange>> lock(SqlConnection transaction, List<String> orderIds) {
        return transaction
                .preparedQuery(LOCK)
                .execute(Tuple.tuple().addValue(orderIds.toArray(String[]::new)))
                .map(rows -> {
                    Map<String, ShipmentChange> known = new TreeMap<>();
                    rows.forEach(row -> known.put(row.getString("order_id"), change(row)));
                    return known;
                });
    }

    private static ShipmentChange change(Row row) {
        return ShipmentChange.ofExisting(
                row.getString("order_id"), row.getLong("order_version"), ShipmentStatus.of(row.getString("status")));
    }

    Uni<Void> insert(SqlConnection transaction, List<ShipmentChange> changes) {
        if (changes.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        Tuple columns = Tuple.tuple()
                .addValue(column(changes, String[]::new, ShipmentChange::orderId))
                .addValue(column(changes, Long[]::new, ShipmentChange::version))
                .addValue(
                        column(changes, String[]::new, change -> change.status().text()))
                .addValue(column(
                        changes, String[]::new, change -> change.created().customerId()))
                .addValue(column(
                        changes,
                        String[]::new,
                        change -> OrderEvents.json(change.created().lines())))
                .addValue(
                        column(changes, Long[]::new, change -> change.created().totalMinor()))
                .addValue(column(
                        changes, String[]::new, change -> change.created().currency()))
                .addValue(column(changes, String[]::new, Shipments::address))
                .addValue(column(changes, String[]::new, Shipments::refusals));
        return transaction.preparedQuery(INSERT).execute(columns).replaceWithVoid();
    }

    Uni<Void> update(SqlConnection transaction, List<ShipmentChange> changes) {
        if (changes.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        Tuple columns = Tuple.tuple()
                .addValue(column(changes, String[]::new, ShipmentChange::orderId))
                .addValue(column(changes, Long[]::new, ShipmentChange::version))
                .addValue(
                        column(changes, String[]::new, change -> change.status().text()))
                .addValue(column(changes, String[]::new, Shipments::address))
                .addValue(column(changes, String[]::new, Shipments::refusals));
        return transaction.preparedQuery(UPDATE).execute(columns).replaceWithVoid();
    }

    /** Counts the events of an order up to a sequence as seen; false where there is no shipment. */
    Uni<Boolean> skip(SqlConnection transaction, String orderId, long upTo) {
        return transaction.preparedQuery(SKIP).execute(Tuple.of(orderId, upTo)).map(rows -> rows.rowCount() == 1);
    }

    private static <T> T[] column(
            List<ShipmentChange> changes, IntFunction<T[]> array, Function<ShipmentChange, T> value) {
        return changes.stream().map(value).toArray(array);
    }

    private static String address(ShipmentChange change) {
        return change.address() == null ? null : OrderEvents.json(change.address());
    }

    private static String refusals(ShipmentChange change) {
        List<Refusal> refusals = change.refusals();
        return refusals.isEmpty() ? null : OrderEvents.json(refusals);
    }

    Uni<Optional<Shipment>> find(String orderId) {
        return pool.preparedQuery(FIND)
                .execute(Tuple.of(orderId))
                .map(rows -> shipments(rows).stream().findFirst());
    }

    /**
     * A page in the order of the ids.
     *
     * @param status null for all
     * @param after the last id of the page before, empty for the first page
     */
    Uni<List<Shipment>> list(ShipmentStatus status, String after, int limit) {
        return status == null
                ? pool.preparedQuery(LIST).execute(Tuple.of(after, limit)).map(Shipments::shipments)
                : pool.preparedQuery(LIST_BY_STATUS)
                        .execute(Tuple.of(after, limit, status.text()))
                        .map(Shipments::shipments);
    }

    /** Dispatches a shipment that is being prepared; true if it was this call that did it. */
    Uni<Boolean> dispatch(String orderId) {
        return pool.preparedQuery(DISPATCH).execute(Tuple.of(orderId)).map(rows -> rows.rowCount() == 1);
    }

    private static List<Shipment> shipments(RowSet<Row> rows) {
        List<Shipment> shipments = new ArrayList<>(rows.size());
        rows.forEach(row -> shipments.add(Shipment.of(row)));
        return shipments;
    }
}
