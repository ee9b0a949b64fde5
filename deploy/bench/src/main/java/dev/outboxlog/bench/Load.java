package dev.outboxlog.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Connections that append one event each time they are asked to, in a transaction of its own. */
interface Load extends OpenLoop.Task, AutoCloseable {

    @Override
    void close() throws SQLException, IOException;

    /** Places orders at a service. */
    static Load http(int port, int connections) throws IOException {
        List<HttpConnection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(new HttpConnection(port));
        }
        return new Load() {
            @Override
            public void run(int connection, int n) throws IOException {
                Orders.place(all.get(connection), n);
            }

            @Override
            public void close() throws IOException {
                for (HttpConnection connection : all) {
                    connection.close();
                }
            }
        };
    }

    /**
     * Inserts into {@code outbox} with SQL. An aggregate's events all come through the same connection where the number of aggregates can be
     * divided by that of connections.
     */
    static Load sql(Testbed testbed, String database, String topic, int aggregates, int connections)
            throws SQLException {
        List<Connection> all = new ArrayList<>();
        List<PreparedStatement> inserts = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Connection connection = testbed.connect(database);
            all.add(connection);
            inserts.add(connection.prepareStatement("""
                    INSERT INTO outbox (id, topic, type, aggregate_type, aggregate_id, sequence, payload)
                    VALUES (?, ?, 'bench.event', 'bench', ?, ?, ?::text::json)
                    """));
        }
        return new Load() {
            @Override
            public void run(int connection, int n) throws SQLException {
                PreparedStatement insert = inserts.get(connection);
                insert.setObject(1, UUID.randomUUID());
                insert.setString(2, topic);
                insert.setString(3, "aggregate-" + n % aggregates);
                insert.setLong(4, n / aggregates + 1);
                insert.setString(5, Payloads.text(n));
                insert.executeUpdate();
            }

            @Override
            public void close() throws SQLException {
                for (Connection connection : all) {
                    connection.close();
                }
            }
        };
    }
}
