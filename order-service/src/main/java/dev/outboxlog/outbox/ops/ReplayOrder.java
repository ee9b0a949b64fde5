package dev.outboxlog.outbox.ops;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A wish to send delivered events once more: by their ids, those of an aggregate, or those of a time. */
@Schema(name = "OutboxReplay")
record ReplayOrder(
        @NotBlank @Size(max = 200) @Pattern(regexp = Deed.TEXT)
        String who,

        @NotBlank @Size(max = 1000) @Pattern(regexp = Deed.TEXT)
        String why,

        @Schema(description = "These events") @Size(min = 1) List<String> ids,

        @Schema(description = "All events of this aggregate") @Size(min = 1, max = 1000) @Pattern(regexp = Deed.TEXT)
        String aggregateId,

        @Schema(description = "Events appended from this time on (RFC 3339)", examples = "2026-03-01T08:00:00Z")
        String createdFrom,

        @Schema(description = "Events appended before this time (RFC 3339)", examples = "2026-03-01T09:00:00Z")
        String createdTo,

        @Schema(description = "With a time: only events of this topic")
        @Size(min = 1, max = 249)
        @Pattern(regexp = Deed.TEXT)
        String topic,

        @Schema(description = "With a time: only events of this type")
        @Size(min = 1, max = 1000)
        @Pattern(regexp = Deed.TEXT)
        String type,

        @Schema(description = "Only says what would happen") boolean dryRun,

        @Schema(description = "Even if consumers may apply them again, because they no longer remember the ids")
        boolean evenIfForgotten) {

    /** Which events are meant. */
    sealed interface Selection {
        record Ids(List<UUID> ids) implements Selection {}

        record Aggregate(String aggregateId) implements Selection {}

        record Time(OffsetDateTime from, OffsetDateTime to, String topic, String type) implements Selection {}
    }

    Deed deed() {
        return new Deed(who, why);
    }

    /** Refuses what does not name events in exactly one way. */
    Selection selection() {
        boolean byTime = createdFrom != null || createdTo != null;
        if ((ids != null ? 1 : 0) + (aggregateId != null ? 1 : 0) + (byTime ? 1 : 0) != 1) {
            throw Problems.contradiction(
                    ids != null ? "ids" : "aggregateId",
                    "Name the events in one way: ids, aggregateId, or createdFrom and createdTo.");
        }
        if (!byTime && (topic != null || type != null)) {
            throw Problems.contradiction(
                    topic != null ? "topic" : "type", "It goes with createdFrom and createdTo only.");
        }
        if (ids != null) {
            return new Selection.Ids(uuids());
        }
        return aggregateId != null ? new Selection.Aggregate(aggregateId) : time();
    }

    private Selection.Time time() {
        if (createdFrom == null || createdTo == null) {
            throw Problems.contradiction(
                    createdFrom == null ? "createdFrom" : "createdTo", "A replay needs both ends of the time.");
        }
        OffsetDateTime from = Texts.time(createdFrom).orElseThrow(() -> Problems.badField("createdFrom", Texts.TIME));
        OffsetDateTime to = Texts.time(createdTo).orElseThrow(() -> Problems.badField("createdTo", Texts.TIME));
        if (!from.isBefore(to)) {
            throw Problems.contradiction("createdTo", "It must be later than createdFrom.");
        }
        return new Selection.Time(from, to, topic, type);
    }

    private List<UUID> uuids() {
        List<UUID> uuids = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            String field = "ids[" + i + "]";
            uuids.add(Texts.uuid(ids.get(i)).orElseThrow(() -> Problems.badField(field, "It is not a UUID.")));
        }
        return uuids.stream().distinct().toList();
    }
}
