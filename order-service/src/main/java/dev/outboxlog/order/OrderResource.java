package dev.outboxlog.order;

import dev.outboxlog.order.Order.Transition;
import io.quarkiverse.resteasy.problem.HttpProblem;
import io.smallrye.mutiny.Uni;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Orders over HTTP. */
@Path("/orders")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
@Tag(name = "orders")
class OrderResource {

    /** A wish for an order. */
    @Schema(name = "NewOrder")
    record NewOrder(
            @PlainText @Schema(examples = "customer-1") String customerId,
            @NotEmpty @Size(max = 100) List<@NotNull @Valid OrderLine> lines,
            @NotNull @Valid Address shippingAddress) {}

    /** An order as clients see it. */
    @Schema(name = "Order")
    record OrderView(
            UUID id,
            String customerId,
            @Schema(enumeration = {"placed", "cancelled"}) String status,

            @Schema(description = "the sequence of the order's last event")
            long version,

            List<OrderLine> lines,

            @Schema(description = "in minor units of the currency")
            long totalMinor,

            String currency,
            Address shippingAddress,
            OffsetDateTime createdAt,
            OffsetDateTime updatedAt) {

        static OrderView of(Order order) {
            return new OrderView(
                    order.id(),
                    order.customerId(),
                    order.status().name().toLowerCase(Locale.ROOT),
                    order.version(),
                    order.lines(),
                    order.totalMinor(),
                    order.currency(),
                    order.shippingAddress(),
                    order.createdAt(),
                    order.updatedAt());
        }
    }

    private final OrderService orders;

    OrderResource(OrderService orders) {
        this.orders = orders;
    }

    @POST
    @Operation(
            summary = "Place an order",
            description = "Answers when the order and its event order.created are durable.")
    @APIResponse(responseCode = "201", content = @Content(schema = @Schema(implementation = OrderView.class)))
    @APIResponse(responseCode = "400", description = "The request is malformed; the problem names the fields.")
    @APIResponse(responseCode = "422", description = "The order makes no sense, for example it mixes currencies.")
    public Uni<Response> place(@NotNull @Valid NewOrder order) {
        return orders.place(order.customerId(), order.lines(), order.shippingAddress())
                .map(placed -> Response.created(URI.create("/orders/" + placed.id()))
                        .entity(OrderView.of(placed))
                        .build());
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read an order")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = OrderView.class)))
    @APIResponse(responseCode = "404", description = "There is no such order.")
    public Uni<OrderView> find(@PathParam("id") UUID id) {
        return orders.find(id).map(found -> found.map(OrderView::of).orElseThrow(() -> notFound(id)));
    }

    @POST
    @Path("/{id}/cancel")
    @Consumes(MediaType.WILDCARD)
    @Operation(
            summary = "Cancel an order",
            description = "Cancelling a cancelled order answers the same and changes nothing.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = OrderView.class)))
    @APIResponse(responseCode = "404", description = "There is no such order.")
    public Uni<OrderView> cancel(@PathParam("id") UUID id) {
        return orders.cancel(id).map(transition -> answer(id, transition));
    }

    @PUT
    @Path("/{id}/shipping-address")
    @Operation(summary = "Change where an order goes", description = "The address that it has already changes nothing.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = OrderView.class)))
    @APIResponse(responseCode = "404", description = "There is no such order.")
    @APIResponse(responseCode = "409", description = "The order is cancelled.")
    public Uni<OrderView> shipTo(@PathParam("id") UUID id, @NotNull @Valid Address address) {
        return orders.shipTo(id, address).map(transition -> answer(id, transition));
    }

    private static OrderView answer(UUID id, Transition transition) {
        if (transition instanceof Transition.Changed changed) {
            return OrderView.of(changed.order());
        }
        if (transition instanceof Transition.Unchanged unchanged) {
            return OrderView.of(unchanged.order());
        }
        if (transition instanceof Transition.Refused refused) {
            throw HttpProblem.valueOf(Response.Status.CONFLICT, refused.reason());
        }
        throw notFound(id);
    }

    private static HttpProblem notFound(UUID id) {
        return HttpProblem.valueOf(Response.Status.NOT_FOUND, "there is no order " + id);
    }
}
