package dev.outboxlog.shipping;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.outboxlog.inbox.InboxEvent;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** What order-service says about orders, as this service reads it. Unknown fields are ignored: the producer may add some. */
@RegisterForReflection(
        targets = {
            OrderEvents.Created.class,
            OrderEvents.AddressChanged.class,
            OrderEvents.Cancelled.class,
            OrderEvents.Line.class,
            OrderEvents.Address.class
        })
final class OrderEvents {

    static final String CREATED = "order.created";
    static final String ADDRESS_CHANGED = "order.address-changed";
    static final String CANCELLED = "order.cancelled";
    static final Set<String> TYPES = Set.of(CREATED, ADDRESS_CHANGED, CANCELLED);

    /** Not the mapper of the HTTP API, which refuses unknown fields. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // No values of the payload in messages.
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private static final ObjectReader CREATED_READER = MAPPER.readerFor(Created.class);
    private static final ObjectReader ADDRESS_CHANGED_READER = MAPPER.readerFor(AddressChanged.class);
    private static final ObjectReader CANCELLED_READER = MAPPER.readerFor(Cancelled.class);

    private OrderEvents() {}

    /** What an event says about its order. */
    sealed interface OrderEvent {
        String orderId();
    }

    record Created(
            String orderId,
            String customerId,
            List<Line> lines,
            long totalMinor,
            String currency,
            Address shippingAddress)
            implements OrderEvent {
        Created {
            present("customerId", customerId);
            present("currency", currency);
            present("shippingAddress", shippingAddress);
            if (lines == null || lines.isEmpty()) {
                throw new IllegalArgumentException("lines is missing or empty");
            }
            lines = List.copyOf(lines);
        }
    }

    record AddressChanged(String orderId, Address shippingAddress) implements OrderEvent {
        AddressChanged {
            present("shippingAddress", shippingAddress);
        }
    }

    record Cancelled(String orderId) implements OrderEvent {}

    /** One position of an order. */
    record Line(String sku, int quantity, long unitPriceMinor, String currency) {
        Line {
            present("lines/sku", sku);
            if (quantity < 1) {
                throw new IllegalArgumentException("lines/quantity is below 1");
            }
        }
    }

    record Address(String name, String street, String city, String postalCode, String country) {
        Address {
            present("shippingAddress/name", name);
            present("shippingAddress/street", street);
            present("shippingAddress/city", city);
            present("shippingAddress/country", country);
        }
    }

    private static void present(String field, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
    }

    /**
     * Parses the data of an event of one of {@link #TYPES}.
     *
     * @throws UnreadableException where they are not what the type promises
     */
    static OrderEvent parse(InboxEvent event) throws UnreadableException {
        OrderEvent parsed = read(event);
        if (parsed == null || !event.subject().equals(parsed.orderId())) {
            throw new UnreadableException("the data are about another order than ce_subject says");
        }
        return parsed;
    }

    private static OrderEvent read(InboxEvent event) throws UnreadableException {
        ObjectReader reader = switch (event.type()) {
            case CREATED -> CREATED_READER;
            case ADDRESS_CHANGED -> ADDRESS_CHANGED_READER;
            case CANCELLED -> CANCELLED_READER;
            default -> throw new IllegalArgumentException("no data are known for the type " + event.type());
        };
        try {
            return reader.readValue(event.data());
        } catch (IOException e) {
            throw new UnreadableException(reason(e));
        }
    }

    /** Names the field and the rule where it is one of ours; the parser's own words may quote the payload. */
    private static String reason(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IllegalArgumentException ours) {
                return "the data break a rule: " + ours.getMessage();
            }
        }
        if (failure instanceof com.fasterxml.jackson.databind.JsonMappingException mapping
                && !mapping.getPath().isEmpty()) {
            String field = mapping.getPath().get(mapping.getPath().size() - 1).getFieldName();
            return "the data have a wrong shape at " + (field == null ? "a list" : field);
        }
        return failure instanceof JsonProcessingException json && json.getLocation() != null
                ? "the data are not JSON of the expected shape, byte "
                        + json.getLocation().getByteOffset()
                : "the data are not JSON of the expected shape";
    }

    /** Writes a part of an event for the database. */
    static String json(Object part) {
        try {
            return MAPPER.writeValueAsString(part);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON can be written as JSON", e);
        }
    }

    /** The data of an event are not what its type promises. */
    static final class UnreadableException extends Exception {
        UnreadableException(String reason) {
            super(reason, null, false, false);
        }
    }
}
