package dev.outboxlog.shipping;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Arrays;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;

/** Shipments over HTTP. */
@Path("/shipments")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "shipments", description = "What has to be shipped, and where it stands")
public class ShipmentResource {

    private static final int USUAL = 50;
    private static final int MOST = 200;

    private final Shipments shipments;

    ShipmentResource(Shipments shipments) {
        this.shipments = shipments;
    }

    @GET
    @Path("/{orderId}")
    @Operation(
            summary = "The shipment of an order",
            description = "It appears some time after the order, when its event arrives.")
    @APIResponse(responseCode = "200", description = "The shipment")
    @APIResponse(responseCode = "404", description = "No event about this order has arrived")
    public Uni<Shipment> get(@RestPath String orderId) {
        return shipments
                .find(storable(orderId))
                .map(found -> found.orElseThrow(() -> Problems.shipmentNotFound(orderId)));
    }

    @GET
    @Operation(
            summary = "Shipments, page by page",
            description =
                    "In the order of their order ids. Shipments that appear meanwhile may be missing on pages already read.")
    @APIResponse(responseCode = "200", description = "A page")
    @APIResponse(responseCode = "400", description = "A parameter is not usable")
    public Uni<ShipmentPage> list(
            @QueryParam("status") @Parameter(description = "preparing, dispatched or cancelled; all where absent")
                    String status,
            @QueryParam("limit")
                    @Parameter(
                            description = "Items of a page",
                            schema =
                                    @Schema(
                                            type = SchemaType.INTEGER,
                                            minimum = "1",
                                            maximum = "200",
                                            defaultValue = "50"))
                    String limit,
            @QueryParam("after") @Parameter(description = "\"next\" of the page before") String after) {
        ShipmentStatus wanted = status == null ? null : status(status);
        String last = after == null ? "" : token(after).lastOrderId();
        int size = limit(limit);
        // One more than asked for tells whether there is a next page.
        return shipments.list(wanted, last, size + 1).map(found -> page(found, size));
    }

    @POST
    @Path("/{orderId}/dispatch")
    @Operation(
            summary = "Hand a shipment over to the carrier",
            description = "Final. A second call changes nothing and answers like the first.")
    @APIResponse(responseCode = "200", description = "The dispatched shipment")
    @APIResponse(responseCode = "404", description = "No event about this order has arrived")
    @APIResponse(responseCode = "409", description = "The order was cancelled before")
    public Uni<Shipment> dispatch(@RestPath String orderId) {
        return shipments.dispatch(storable(orderId)).chain(() -> get(orderId)).invoke(shipment -> {
            if (shipment.status() == ShipmentStatus.CANCELLED) {
                throw Problems.shipmentCancelled(orderId);
            }
        });
    }

    /** The database has no place for NUL, so no order has such an id. */
    private static String storable(String orderId) {
        if (orderId.indexOf('\0') >= 0) {
            throw Problems.shipmentNotFound("?");
        }
        return orderId;
    }

    private static ShipmentStatus status(String text) {
        return Arrays.stream(ShipmentStatus.values())
                .filter(status -> status.text().equals(text))
                .findFirst()
                .orElseThrow(
                        () -> Problems.badParameter("status", "It is one of preparing, dispatched and cancelled."));
    }

    private static int limit(String text) {
        if (text == null) {
            return USUAL;
        }
        if (text.matches("[0-9]{1,3}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= MOST) {
            return Integer.parseInt(text);
        }
        throw Problems.badParameter("limit", "It is a number from 1 to " + MOST + ".");
    }

    private static PageToken token(String text) {
        return PageToken.decoded(text)
                .orElseThrow(() -> Problems.badParameter("after", "It is not a token of an earlier page."));
    }

    private static ShipmentPage page(List<Shipment> found, int limit) {
        if (found.size() <= limit) {
            return new ShipmentPage(found, null);
        }
        List<Shipment> items = found.subList(0, limit);
        return new ShipmentPage(items, new PageToken(items.get(limit - 1).orderId()).encoded());
    }
}
