package dev.outboxlog.shipping;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A shipment as the HTTP API shows it. Times are the database's, in UTC. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(description = "What has to be shipped for one order, and where it stands")
public record Shipment(
        @Schema(description = "The order that it is for; there is one shipment per order")
        String orderId,

        ShipmentStatus status,

        @Schema(description = "The sequence of the last event of the order that is applied")
        long orderVersion,

        String customerId,
        List<Line> lines,

        @Schema(description = "In the smallest unit of the currency")
        long totalMinor,

        @Schema(description = "ISO 4217", examples = "EUR") String currency,
        Address shippingAddress,

        @Schema(description = "Events that came too late to have their effect")
        List<Refusal> refusals,

        Instant createdAt,
        Instant updatedAt,

        @Schema(description = "Absent until it is dispatched")
        Instant dispatchedAt,

        @Schema(description = "Absent unless it is cancelled")
        Instant cancelledAt) {

    /** One position. */
    public record Line(String sku, int quantity, long unitPriceMinor, String currency) {}

    /** Where to. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Address(String name, String street, String city, String postalCode, String country) {}

    /** An event that is recorded and had no effect, because the shipment was final. */
    public record Refusal(UUID eventId, String type, long version, String reason, Instant refusedAt) {}

    static Shipment of(Row row) {
        return new Shipment(
                row.getString("order_id"),
                ShipmentStatus.of(row.getString("status")),
                row.getLong("order_version"),
                row.getString("customer_id"),
                objects(row.getJsonArray("lines")).stream().map(Shipment::line).toList(),
                row.getLong("total_minor"),
                row.getString("currency"),
                address(row.getJsonObject("shipping_address")),
                objects(row.getJsonArray("refusals")).stream()
                        .map(Shipment::refusal)
                        .toList(),
                instant(row, "created_at"),
                instant(row, "updated_at"),
                instant(row, "dispatched_at"),
                instant(row, "cancelled_at"));
    }

    private static List<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonObject.class::cast).toList();
    }

    private static Line line(JsonObject json) {
        return new Line(
                json.getString("sku"),
                json.getInteger("quantity"),
                json.getLong("unitPriceMinor"),
                json.getString("currency"));
    }

    private static Address address(JsonObject json) {
        return new Address(
                json.getString("name"),
                json.getString("street"),
                json.getString("city"),
                json.getString("postalCode"),
                json.getString("country"));
    }

    private static Refusal refusal(JsonObject json) {
        return new Refusal(
                UUID.fromString(json.getString("eventId")),
                json.getString("type"),
                json.getLong("version"),
                json.getString("reason"),
                OffsetDateTime.parse(json.getString("refusedAt")).toInstant());
    }

    private static Instant instant(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
