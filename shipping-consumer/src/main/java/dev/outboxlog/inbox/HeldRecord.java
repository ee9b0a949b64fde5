package dev.outboxlog.inbox;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.outboxlog.inbox.RawRecord.RawHeader;
import io.vertx.mutiny.sqlclient.Row;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A record on hold as the HTTP API shows it. What could not be read of it is absent. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HeldRecord(
        long holdId,

        @Schema(description = "held, parked, settled or discarded")
        String state,

        @Schema(description = "A stable word", examples = "bad-data")
        String reasonCode,

        String reason,
        UUID eventId,
        String type,
        String subject,
        Long sequence,
        String topic,
        int partition,
        long offset,
        Instant heldAt,
        Instant updatedAt) {

    static HeldRecord of(Row row) {
        return new HeldRecord(
                row.getLong("hold_id"),
                row.getString("state"),
                row.getString("reason_code"),
                row.getString("reason"),
                row.getUUID("event_id"),
                row.getString("event_type"),
                row.getString("subject"),
                row.getLong("sequence"),
                row.getString("topic"),
                row.getInteger("partition"),
                row.getLong("record_offset"),
                row.getOffsetDateTime("held_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant());
    }

    /** What somebody did to a record. */
    public record Action(String action, String who, String why, String outcome, Instant actedAt) {
        static Action of(Row row) {
            return new Action(
                    row.getString("action"),
                    row.getString("who"),
                    row.getString("why"),
                    row.getString("outcome"),
                    row.getOffsetDateTime("acted_at").toInstant());
        }
    }

    /** Bytes; the text is absent where they are not UTF-8. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Bytes(String text, byte[] base64) {
        static Bytes of(byte[] bytes) {
            return bytes == null ? null : new Bytes(decoded(bytes), bytes);
        }

        private static String decoded(byte[] bytes) {
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                return null;
            }
        }
    }

    /** One header as it came. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Header(String name, Bytes value) {
        static Header of(RawHeader header) {
            return new Header(header.name(), Bytes.of(header.value()));
        }
    }

    /** A record with all its bytes and its history. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Whole(
            @JsonUnwrapped HeldRecord record, Bytes key, Bytes value, List<Header> headers, List<Action> actions) {

        static Whole of(Row row, List<Action> actions) {
            RawRecord raw = Holds.record(row);
            return new Whole(
                    HeldRecord.of(row),
                    Bytes.of(raw.key()),
                    Bytes.of(raw.value()),
                    raw.headers().stream().map(Header::of).toList(),
                    actions);
        }
    }

    /** Some records, and where to go on. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Page(
            List<HeldRecord> items,

            @Schema(description = "Pass it as \"after\" for the next page; absent on the last one")
            String next) {}
}
