package dev.outboxlog.outbox.ops;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.vertx.core.json.JsonObject;
import io.vertx.mutiny.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An event as the HTTP API shows it. What does not apply is absent. */
@Schema(name = "OutboxEvent")
@JsonInclude(JsonInclude.Include.NON_NULL)
record EventView(
        UUID id,
        String topic,
        String type,
        String aggregateType,
        String aggregateId,
        long sequence,

        @Schema(enumeration = {"pending", "processing", "delivered", "retrying", "blocked", "parked", "discarded"})
        String status,

        @Schema(description = "It was delivered before and is on its way once more")
        boolean replay,

        Instant createdAt,

        @Schema(description = "When it was delivered last") Instant deliveredAt,

        @Schema(description = "Failed attempts so far") int attempts,

        Instant nextAttemptAt,

        @Schema(enumeration = {"topic", "record"}) String failureClass,

        String lastError,
        int lane,
        long position) {

    static EventView of(Row row) {
        return new EventView(
                row.getUUID("id"),
                row.getString("topic"),
                row.getString("type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getLong("sequence"),
                row.getString("status"),
                row.getBoolean("replay"),
                instant(row, "created_at"),
                instant(row, "delivered_at"),
                row.getInteger("attempts"),
                instant(row, "next_attempt_at"),
                row.getString("failure_class"),
                row.getString("last_error"),
                row.getShort("lane"),
                row.getLong("position"));
    }

    private static Instant instant(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    /** Whether Kafka has it. */
    boolean wasDelivered() {
        return replay || status.equals("delivered");
    }

    /** Some events, and where to go on. */
    @Schema(name = "OutboxEventPage")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Page(
            List<EventView> items,

            @Schema(
                    description =
                            "Pass it as \"after\" for the next page; absent on the last one. A page may have few items, or"
                                    + " none, and still a next one: a search looks at a bounded number of events for each page")
            String next) {}

    /** When an event left, and where it is in Kafka. */
    @Schema(name = "OutboxDelivery")
    record Delivery(
            Instant deliveredAt,

            @Schema(description = "The claim under which it left")
            long epoch,

            boolean replay,

            @Schema(description = "Topic-partition to the first and last offset of the batch in which it is")
            Map<String, List<Long>> offsets) {

        static Delivery of(Row row, String topic) {
            JsonObject offsets = row.getJsonObject("offsets");
            Map<String, List<Long>> ofTopic = new java.util.TreeMap<>();
            for (String partition : offsets.fieldNames()) {
                if (partition.substring(0, partition.lastIndexOf('-')).equals(topic)) {
                    ofTopic.put(
                            partition,
                            offsets.getJsonArray(partition).stream()
                                    .map(offset -> ((Number) offset).longValue())
                                    .toList());
                }
            }
            return new Delivery(instant(row, "delivered_at"), row.getLong("epoch"), row.getBoolean("replay"), ofTopic);
        }
    }

    /** What somebody did. */
    @Schema(name = "OutboxAction")
    record Action(
            long actionId,
            Instant actedAt,
            String action,
            String who,
            String why,

            @Schema(description = "What was named: an event, an aggregate, a filter, a scope")
            Map<String, Object> target,

            @Schema(description = "How many events, or pauses, it changed")
            int affected,

            String outcome) {

        static Action of(Row row) {
            return new Action(
                    row.getLong("action_id"),
                    instant(row, "acted_at"),
                    row.getString("action"),
                    row.getString("who"),
                    row.getString("why"),
                    row.getJsonObject("target").getMap(),
                    row.getInteger("affected"),
                    row.getString("outcome"));
        }

        /** Some actions, newest first, and where to go on. */
        @Schema(name = "OutboxActionPage")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        record Page(
                List<Action> items,

                @Schema(description = "Pass it as \"after\" for the next page; absent on the last one")
                String next) {}
    }

    /** An event with all that became of it. */
    @Schema(name = "OutboxEventHistory")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record History(
            @JsonUnwrapped EventView event,

            @Schema(description = "Since when it is on hold")
            Instant heldSince,

            @Schema(description = "Oldest first") List<Delivery> deliveries,

            @Schema(description = "What people did about it, oldest first")
            List<Action> actions,

            Map<String, Object> headers,

            @Schema(description = "The JSON that consumers get") @JsonRawValue
            String payload) {

        static History of(Row row, List<Delivery> deliveries, List<Action> actions) {
            JsonObject headers = row.getJsonObject("headers");
            return new History(
                    EventView.of(row),
                    instant(row, "held_since"),
                    deliveries,
                    actions,
                    headers == null ? Map.of() : headers.getMap(),
                    row.getString("payload"));
        }
    }
}
