package dev.outboxlog.outbox.ops;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Who does something, and why; kept for the audit. */
@Schema(name = "OutboxDeed", description = "Kept for the audit")
record Deed(
        @Schema(description = "A person, by whatever name is known here", examples = "ada")
        @NotBlank
        @Size(max = 200)
        @Pattern(regexp = Deed.TEXT)
        String who,

        @Schema(description = "Why", examples = "the topic takes larger records now")
        @NotBlank
        @Size(max = 1000)
        @Pattern(regexp = Deed.TEXT)
        String why) {

    /** Without NUL, which the database cannot keep. */
    static final String TEXT = "[^\\x00]*";
}
