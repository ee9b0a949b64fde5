package dev.outboxlog.outbox.ops;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.outboxlog.outbox.RelayStatus;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The outbox at a glance. */
@Schema(name = "OutboxStats")
@JsonInclude(JsonInclude.Include.NON_NULL)
record OutboxStats(
        @Schema(description = "Events past their lane's cursor, counted up to 10 000 a lane")
        long pending,

        Held held,

        @Schema(
                description =
                        "Age of the oldest event that is neither delivered nor discarded; absent if there is none")
        Double oldestUndeliveredSeconds,

        Lanes lanes,
        Delivered delivered,
        List<Pause> pauses,

        @Schema(description = "What waits, by topic: the next 1 000 events of each lane, and up to 100 000 on hold")
        List<Topic> topics,

        @Schema(description = "As the relay of the process that answers sees it")
        RelayStatus.View relay) {

    /** Events on hold, each number counted up to 100 000. */
    @Schema(name = "OutboxHeld", description = "Each number is counted up to 100 000")
    record Held(
            long retrying,
            long blocked,
            long parked,
            long discarded,

            @Schema(description = "How many of them were delivered before and are on their way once more")
            long replays) {}

    /** The lanes. */
    @Schema(name = "OutboxLanes")
    record Lanes(
            @Schema(description = "A relay works on them") int leased,

            @Schema(description = "No relay works on them") int free,

            @Schema(
                    description =
                            "Their relay let the lease run out, or events wait for more than 10 s and no relay comes")
            List<Integer> withoutService,

            @Schema(description = "Claimed at least twice in a row without progress")
            List<Integer> withoutProgress,

            @Schema(description = "Not claimed because of a pause of the lane or of all")
            List<Integer> paused) {}

    /** Deliveries of the last minutes, counted in the last 100 000 rows of the ledger. */
    @Schema(name = "OutboxDelivered", description = "From the newest 100 000 rows of the ledger")
    record Delivered(
            long lastMinute,
            long lastFiveMinutes,

            @Schema(description = "Of the last five minutes")
            long replays,

            Instant latest) {}

    /** A pause in force. */
    @Schema(name = "OutboxPauseInForce")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Pause(
            @Schema(enumeration = {"all", "lane", "topic", "aggregate"})
            String scope,

            String target,
            Instant since,
            String who,
            String why) {}

    /** What waits for one topic. */
    @Schema(name = "OutboxTopic")
    record Topic(String topic, long pending, long onHold) {}
}
