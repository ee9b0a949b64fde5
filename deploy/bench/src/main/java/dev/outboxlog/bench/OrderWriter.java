package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * A client that writes orders with SQL, each with its event: both statements in one round trip, then COMMIT, as order-service does. The same
 * statements work on the view and on a plain table.
 */
final class OrderWriter implements ClosedLoop.Client {

    private static final String ORDER_AND_EVENT = """
            INSERT INTO orders (id, customer_id, status, version, total_minor, currency, lines, shipping_address)
            VALUES (?, 'customer-1', 'placed', 1, 4497, 'EUR', ?::text::jsonb, ?::text::jsonb);
            INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
            VALUES (?, 'orders', 'order.created', 'order', ?, 1, ?::text::json)
            """;

    private static final String LINES = """
            [{"sku":"BOOK-1","quantity":2,"unitPriceMinor":1999,"currency":"EUR"},{"sku":"PEN-7","quantity":1,"unitPriceMinor":499,"currency":"EUR"}]""";

    private static final String ADDRESS = """
            {"name":"Ada Lovelace","street":"12 St James Square","city":"London","postalCode":"SW1Y 4JH","country":"GB"}""";

    private final Connection connection;
    private final PreparedStatement insert;

    OrderWriter(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
        insert = connection.prepareStatement(ORDER_AND_EVENT);
    }

    @Override
    public void run() throws SQLException {
        UUID order = UUID.randomUUID();
        insert.setObject(1, order);
        insert.setString(2, LINES);
        insert.setString(3, ADDRESS);
        insert.setObject(4, UUID.randomUUID());
        insert.setString(5, order.toString());
        insert.setString(
                6,
                "{\"orderId\":\"" + order + "\",\"customerId\":\"customer-1\",\"lines\":" + LINES
                        + ",\"totalMinor\":4497,\"currency\":\"EUR\",\"shippingAddress\":" + ADDRESS + "}");
        insert.execute();
        connection.commit();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
