package dev.outboxlog.order;

import java.time.OffsetDateTime;
import java.util.Currency;
import java.util.List;
import java.util.UUID;

/**
 * An order. Immutable: what happens to it makes another version.
 *
 * @param version the sequence of its last event
 * @param totalMinor the sum of its lines in minor units of the currency
 * @param createdAt when it was placed, on the database's clock; {@code null} until it is stored
 * @param updatedAt when it was changed last, on the database's clock; {@code null} until it is stored
 */
record Order(
        UUID id,
        String customerId,
        Status status,
        long version,
        List<OrderLine> lines,
        long totalMinor,
        String currency,
        Address shippingAddress,
        OffsetDateTime createdAt,
        OffsetDateTime updatedAt) {

    enum Status {
        PLACED,
        CANCELLED
    }

    Order {
        lines = List.copyOf(lines);
    }

    /**
     * Places a new order.
     *
     * @throws InvalidOrderException if it is empty, mixes currencies, names a currency that does not exist, or its total is beyond counting
     */
    static Order place(UUID id, String customerId, List<OrderLine> lines, Address shippingAddress) {
        if (lines.isEmpty()) {
            throw new InvalidOrderException("lines", "an order needs at least one line");
        }
        String currency = lines.get(0).currency();
        long total = 0;
        for (int i = 0; i < lines.size(); i++) {
            OrderLine line = lines.get(i);
            String field = "lines[" + i + "]";
            if (!line.currency().equals(currency)) {
                throw new InvalidOrderException(
                        field + ".currency",
                        "an order has one currency: this line is in " + line.currency() + ", the first in " + currency);
            }
            total = plus(total, line.totalMinor(), field);
        }
        requireCurrency(currency);
        return new Order(id, customerId, Status.PLACED, 1, lines, total, currency, shippingAddress, null, null);
    }

    private static long plus(long total, long more, String field) {
        try {
            return Math.addExact(total, more);
        } catch (ArithmeticException e) {
            throw new InvalidOrderException(field, "the order's total is larger than can be counted");
        }
    }

    private static void requireCurrency(String code) {
        try {
            Currency.getInstance(code);
        } catch (IllegalArgumentException e) {
            throw new InvalidOrderException("lines[0].currency", "there is no currency " + code + " in ISO 4217");
        }
    }

    /** Cancels the order. To cancel it twice is to cancel it once. */
    Transition cancel() {
        if (status == Status.CANCELLED) {
            return new Transition.Unchanged(this);
        }
        return new Transition.Changed(next(Status.CANCELLED, shippingAddress));
    }

    /** Changes where the order goes. To the address that it has, this is no change. */
    Transition shipTo(Address address) {
        if (status == Status.CANCELLED) {
            return new Transition.Refused("the order is cancelled; its address cannot be changed any more");
        }
        if (address.equals(shippingAddress)) {
            return new Transition.Unchanged(this);
        }
        return new Transition.Changed(next(status, address));
    }

    private Order next(Status status, Address address) {
        return new Order(
                id, customerId, status, version + 1, lines, totalMinor, currency, address, createdAt, updatedAt);
    }

    /** What became of the wish to change an order. */
    sealed interface Transition {

        /** It is changed, and an event tells. */
        record Changed(Order order) implements Transition {}

        /** It is as wished already; nothing happened. */
        record Unchanged(Order order) implements Transition {}

        /** Its state does not allow it. */
        record Refused(String reason) implements Transition {}

        /** There is no such order. */
        record NotFound() implements Transition {}
    }
}
