package dev.outboxlog.testing;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.testing.LocalServersListener;

/** PostgreSQL and Kafka for this module's tests. */
public final class OrdersServers extends LocalServersListener {

    public OrdersServers() {
        super(LocalServers.ORDERS);
    }
}
