package dev.outboxlog.order;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** The table {@code orders}. */
@ApplicationScoped
class OrderRepository {

    private static final String INSERT = """
            INSERT INTO orders (id, customer_id, status, version, total_minor, currency, lines, shipping_address)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb)
            RETURNING id, customer_id, status, version, total_minor, currency, lines::text, shipping_address::text, created_at, updated_at
            """;

    private static final String SELECT = """
            SELECT id, customer_id, status, version, total_minor, currency, lines::text, shipping_address::text, created_at, updated_at
            FROM orders
            WHERE id = $1
            """;

    private static final String SELECT_FOR_UPDATE = SELECT + "FOR UPDATE";

    // The row is locked; the version in the condition says so once more to whoever changes this code.
    private static final String UPDATE = """
            UPDATE orders
            SET status = $3, version = $4, shipping_address = $5::text::jsonb, updated_at = clock_timestamp()
            WHERE id = $1 AND version = $2
            RETURNING id, customer_id, status, version, total_minor, currency, lines::text, shipping_address::text, created_at, updated_at
            """;

    private static final TypeReference<List<OrderLine>> LINES = new TypeReference<>() {};

    private final ObjectMapper json;

    OrderRepository(ObjectMapper json) {
        this.json = json;
    }

    /** Inserts a new order and gives it back as stored. */
    Uni<Order> insert(SqlConnection tx, Order order) {
        return tx.preparedQuery(INSERT)
                .execute(Tuple.from(new Object[] {
                    order.id(),
                    order.customerId(),
                    sql(order.status()),
                    order.version(),
                    order.totalMinor(),
                    order.currency(),
                    write(order.lines()),
                    write(order.shippingAddress())
                }))
                .map(rows -> one(rows).orElseThrow());
    }

    /** Reads an order as it was last committed. */
    Uni<Optional<Order>> find(SqlClient client, UUID id) {
        return client.preparedQuery(SELECT).execute(Tuple.of(id)).map(this::one);
    }

    /** Reads an order and lets no other transaction change it until this one ends. */
    Uni<Optional<Order>> lock(SqlConnection tx, UUID id) {
        return tx.preparedQuery(SELECT_FOR_UPDATE).execute(Tuple.of(id)).map(this::one);
    }

    /** Writes the next version of a locked order and gives it back as stored. */
    Uni<Order> update(SqlConnection tx, Order order) {
        return tx.preparedQuery(UPDATE)
                .execute(Tuple.of(
                        order.id(),
                        order.version() - 1,
                        sql(order.status()),
                        order.version(),
                        write(order.shippingAddress())))
                .map(rows -> one(rows)
                        .orElseThrow(() -> new IllegalStateException(
                                "order " + order.id() + " was changed although it is locked")));
    }

    private Optional<Order> one(RowSet<Row> rows) {
        var iterator = rows.iterator();
        return iterator.hasNext() ? Optional.of(order(iterator.next())) : Optional.empty();
    }

    private Order order(Row row) {
        return new Order(
                row.getUUID("id"),
                row.getString("customer_id"),
                Order.Status.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
                row.getLong("version"),
                read(row.getString("lines"), json.constructType(LINES)),
                row.getLong("total_minor"),
                row.getString("currency"),
                read(row.getString("shipping_address"), json.constructType(Address.class)),
                row.getOffsetDateTime("created_at"),
                row.getOffsetDateTime("updated_at"));
    }

    private static String sql(Order.Status status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    private String write(Object value) {
        try {
            return json.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a part of an order cannot be written as JSON", e);
        }
    }

    private <T> T read(String text, com.fasterxml.jackson.databind.JavaType type) {
        try {
            return json.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a part of an order cannot be read from JSON", e);
        }
    }
}
