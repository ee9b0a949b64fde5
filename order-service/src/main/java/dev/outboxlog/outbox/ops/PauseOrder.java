package dev.outboxlog.outbox.ops;

import dev.outboxlog.outbox.HoldOrder;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What to pause or to resume. */
@Schema(name = "OutboxPause")
record PauseOrder(
        @NotBlank @Size(max = 200) @Pattern(regexp = Deed.TEXT)
        String who,

        @NotBlank @Size(max = 1000) @Pattern(regexp = Deed.TEXT)
        String why,

        @Schema(enumeration = {"all", "lane", "topic", "aggregate"})
        @NotNull
        @Pattern(regexp = "all|lane|topic|aggregate", message = "must be all, lane, topic or aggregate")
        String scope,

        @Schema(description = "The lane's number, the topic or the aggregate's id; absent for all", examples = "orders")
        @Size(min = 1, max = 1000)
        @Pattern(regexp = Deed.TEXT)
        String target) {

    Deed deed() {
        return new Deed(who, why);
    }

    /** The target as the database has it. */
    String storedTarget() {
        return target == null ? "" : target;
    }

    /** Refuses a target that does not go with the scope. */
    void check() {
        if (scope.equals("all") && target != null) {
            throw Problems.contradiction("target", "The scope all has no target; leave it out.");
        }
        if (!scope.equals("all") && target == null) {
            throw Problems.contradiction("target", "The scope " + scope + " needs a target.");
        }
        if (scope.equals("lane") && !isLane(target)) {
            throw Problems.contradiction("target", "A lane is a number from 0 to " + (HoldOrder.LANES - 1) + ".");
        }
    }

    private static boolean isLane(String text) {
        return text.matches("0|[1-9][0-9]?") && Integer.parseInt(text) < HoldOrder.LANES;
    }

    /** The lanes in which holds change with it. Whether a lane is claimed is decided at each claim. */
    List<Integer> lanes() {
        return switch (scope) {
            case "topic" -> IntStream.range(0, HoldOrder.LANES).boxed().toList();
            case "aggregate" -> List.of(HoldOrder.laneOf(target));
            default -> List.of();
        };
    }
}
