package dev.outboxlog.outbox.ops;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A wish to retry all parked events that a filter names; without a filter, all of them. */
@Schema(name = "OutboxRetry")
record RetryOrder(
        @NotBlank @Size(max = 200) @Pattern(regexp = Deed.TEXT)
        String who,

        @NotBlank @Size(max = 1000) @Pattern(regexp = Deed.TEXT)
        String why,

        @Schema(description = "Only events of this topic") @Size(min = 1, max = 249) @Pattern(regexp = Deed.TEXT)
        String topic,

        @Schema(
                description = "Only events that failed like this",
                enumeration = {"topic", "record"})
        @Pattern(regexp = "topic|record", message = "must be topic or record")
        String failureClass,

        @Schema(description = "Only says what would happen") boolean dryRun) {

    Deed deed() {
        return new Deed(who, why);
    }
}
