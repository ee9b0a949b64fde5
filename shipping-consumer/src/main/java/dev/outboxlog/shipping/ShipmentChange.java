package dev.outboxlog.shipping;

import dev.outboxlog.inbox.InboxEvent;
import dev.outboxlog.inbox.Outcome;
import dev.outboxlog.shipping.OrderEvents.Address;
import dev.outboxlog.shipping.OrderEvents.AddressChanged;
import dev.outboxlog.shipping.OrderEvents.Cancelled;
import dev.outboxlog.shipping.OrderEvents.Created;
import dev.outboxlog.shipping.OrderEvents.OrderEvent;
import dev.outboxlog.shipping.OrderEvents.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Folds the events of one order over what the database knows of it, in memory, so that the row is written once. Not thread-safe.
 */
final class ShipmentChange {

    private final String orderId;
    private final boolean exists;
    private final long versionBefore;
    private long version;
    private ShipmentStatus status;
    private Created created;
    private Address address;
    private final List<Refusal> refusals = new ArrayList<>();

    private ShipmentChange(String orderId, boolean exists, long version, ShipmentStatus status) {
        this.orderId = orderId;
        this.exists = exists;
        this.versionBefore = version;
        this.version = version;
        this.status = status;
    }

    /** An event that came too late to have its effect; the time is the database's. */
    record Refusal(UUID eventId, String type, long version, String reason) {}

    static ShipmentChange ofNew(String orderId) {
        return new ShipmentChange(orderId, false, 0, null);
    }

    static ShipmentChange ofExisting(String orderId, long version, ShipmentStatus status) {
        return new ShipmentChange(orderId, true, version, status);
    }

    /** The order guard: what is next is applied, what is older is stale, what skips a number has to wait. */
    Outcome apply(InboxEvent event) {
        if (event.sequence() <= version) {
            return new Outcome.Stale(version);
        }
        if (event.sequence() > version + 1) {
            return new Outcome.Gap(version);
        }
        if (!OrderEvents.TYPES.contains(event.type())) {
            return ignore(event);
        }
        try {
            return next(event, OrderEvents.parse(event));
        } catch (UnreadableException e) {
            return new Outcome.Rejected("bad-data", e.getMessage());
        }
    }

    private Outcome ignore(InboxEvent event) {
        if (status == null) {
            return new Outcome.Rejected("not-created", "the first event of an order is not " + OrderEvents.CREATED);
        }
        version = event.sequence();
        return Outcome.IGNORED;
    }

    private Outcome next(InboxEvent event, OrderEvent data) {
        if (data instanceof Created first) {
            if (status != null) {
                return new Outcome.Rejected("created-twice", "the order has a shipment already");
            }
            created = first;
            status = ShipmentStatus.PREPARING;
        } else if (status == null) {
            return new Outcome.Rejected("not-created", "the first event of an order is not " + OrderEvents.CREATED);
        } else if (data instanceof AddressChanged changed) {
            readdress(event, changed.shippingAddress());
        } else if (data instanceof Cancelled) {
            cancel(event);
        }
        version = event.sequence();
        return Outcome.APPLIED;
    }

    private void readdress(InboxEvent event, Address newAddress) {
        if (status == ShipmentStatus.PREPARING) {
            address = newAddress;
        } else {
            refuse(event);
        }
    }

    private void cancel(InboxEvent event) {
        if (status == ShipmentStatus.DISPATCHED) {
            refuse(event);
        } else {
            status = ShipmentStatus.CANCELLED;
        }
    }

    private void refuse(InboxEvent event) {
        refusals.add(new Refusal(event.id(), event.type(), event.sequence(), "the shipment is " + status.text()));
    }

    String orderId() {
        return orderId;
    }

    boolean isNew() {
        return !exists && created != null;
    }

    boolean isUpdate() {
        return exists && version > versionBefore;
    }

    long version() {
        return version;
    }

    ShipmentStatus status() {
        return status;
    }

    /** Of a new shipment. */
    Created created() {
        return created;
    }

    /** Null where it stays as it is; of a new shipment the last one. */
    Address address() {
        return address == null && created != null ? created.shippingAddress() : address;
    }

    List<Refusal> refusals() {
        return refusals;
    }
}
