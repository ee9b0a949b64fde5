package dev.outboxlog.order;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.outboxlog.order.Order.Transition;
import dev.outboxlog.outbox.Outbox;
import dev.outboxlog.outbox.OutboxEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Changes orders. Each change and the event that tells of it are one transaction: both happen or neither does, and a caller that is told of
 * success is told after the commit.
 */
@ApplicationScoped
class OrderService {

    private final Pool pool;
    private final OrderRepository orders;
    private final OrderEvents events;
    private final Outbox outbox;

    OrderService(Pool pool, OrderRepository orders, OrderEvents events, Outbox outbox) {
        this.pool = pool;
        this.orders = orders;
        this.events = events;
        this.outbox = outbox;
    }

    /**
     * Places an order.
     *
     * @return the stored order; fails with {@link InvalidOrderException} if it makes no sense
     */
    Uni<Order> place(String customerId, List<OrderLine> lines, Address shippingAddress) {
        return Uni.createFrom()
                .item(() -> Order.place(UuidCreator.getTimeOrderedEpoch(), customerId, lines, shippingAddress))
                .chain(order ->
                        pool.withTransaction(tx -> withEvent(tx, orders.insert(tx, order), events.created(order))))
                .invoke(outbox::nudge);
    }

    /** Reads an order; empty if there is none with this id. */
    Uni<Optional<Order>> find(UUID id) {
        return orders.find(pool, id);
    }

    /** Cancels an order. */
    Uni<Transition> cancel(UUID id) {
        return change(id, Order::cancel, events::cancelled);
    }

    /** Changes the address of an order. */
    Uni<Transition> shipTo(UUID id, Address address) {
        return change(id, order -> order.shipTo(address), events::addressChanged);
    }

    private Uni<Transition> change(UUID id, Function<Order, Transition> change, Function<Order, OutboxEvent> eventOf) {
        return pool.withTransaction(tx -> orders.lock(tx, id).chain(found -> {
                    Transition transition = found.map(change).orElseGet(Transition.NotFound::new);
                    if (transition instanceof Transition.Changed changed) {
                        Order next = changed.order();
                        return withEvent(tx, orders.update(tx, next), eventOf.apply(next))
                                .<Transition>map(Transition.Changed::new);
                    }
                    return Uni.createFrom().item(transition);
                }))
                .invoke(transition -> {
                    if (transition instanceof Transition.Changed) {
                        outbox.nudge();
                    }
                });
    }

    /**
     * Writes the order, then its event, in one round trip: the second statement does not wait for the answer to the first. If the first
     * fails, the database refuses the second, and its own error is the one that counts. The event goes last, because from then until the
     * commit nobody else can append to its lane.
     */
    private Uni<Order> withEvent(SqlConnection tx, Uni<Order> write, OutboxEvent event) {
        return Uni.combine().all().unis(write, outbox.append(tx, event)).with((order, appended) -> order);
    }
}
