package dev.outboxlog.order;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.f4b6a3.uuid.UuidCreator;
import dev.outboxlog.outbox.OutboxEvent;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the world is told about orders: a contract with every consumer, apart from how an order is stored or shown. */
@ApplicationScoped
class OrderEvents {

    private record OrderCreated(
            UUID orderId,
            String customerId,
            List<OrderLine> lines,
            long totalMinor,
            String currency,
            Address shippingAddress) {}

    private record OrderAddressChanged(UUID orderId, Address shippingAddress) {}

    private record OrderCancelled(UUID orderId) {}

    private final OrderConfig config;
    private final ObjectMapper json;

    OrderEvents(OrderConfig config, ObjectMapper json) {
        this.config = config;
        this.json = json;
    }

    OutboxEvent created(Order order) {
        return event(
                order,
                "order.created",
                new OrderCreated(
                        order.id(),
                        order.customerId(),
                        order.lines(),
                        order.totalMinor(),
                        order.currency(),
                        order.shippingAddress()));
    }

    OutboxEvent addressChanged(Order order) {
        return event(order, "order.address-changed", new OrderAddressChanged(order.id(), order.shippingAddress()));
    }

    OutboxEvent cancelled(Order order) {
        return event(order, "order.cancelled", new OrderCancelled(order.id()));
    }

    private OutboxEvent event(Order order, String type, Object payload) {
        return new OutboxEvent(
                UuidCreator.getTimeOrderedEpoch(),
                config.topic(),
                type,
                "order",
                order.id().toString(),
                order.version(),
                write(payload),
                Map.of());
    }

    private String write(Object payload) {
        try {
            return json.writeValueAsString(payload);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event cannot be written as JSON", e);
        }
    }
}
