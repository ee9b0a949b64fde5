package dev.outboxlog.shipping;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Some shipments in the order of their order ids, and where to go on. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ShipmentPage(
        List<Shipment> items,

        @Schema(description = "Pass it as \"after\" for the next page; absent on the last one")
        String next) {

    public ShipmentPage {
        items = List.copyOf(items);
    }
}
