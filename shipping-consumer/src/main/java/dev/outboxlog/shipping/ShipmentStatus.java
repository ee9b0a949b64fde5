package dev.outboxlog.shipping;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** Where a shipment stands. */
public enum ShipmentStatus {
    /** Not handed over yet: it may still be readdressed, cancelled or dispatched. */
    @JsonProperty("preparing")
    PREPARING,
    /** Handed over to the carrier: final. */
    @JsonProperty("dispatched")
    DISPATCHED,
    /** The order was cancelled in time: final. */
    @JsonProperty("cancelled")
    CANCELLED;

    /** As in the database and in JSON. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ShipmentStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
