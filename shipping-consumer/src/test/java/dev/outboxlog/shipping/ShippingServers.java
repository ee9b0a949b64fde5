package dev.outboxlog.shipping;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.testing.LocalServersListener;

/** PostgreSQL and Kafka for all tests of this module. */
public class ShippingServers extends LocalServersListener {
    public ShippingServers() {
        super(LocalServers.SHIPPING);
    }
}
