package dev.outboxlog.outbox;

import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** How the relay of this process sees the world; other replicas may see it otherwise. */
@ApplicationScoped
public class RelayStatus {

    private final Relay relay;

    RelayStatus(Relay relay) {
        this.relay = relay;
    }

    /**
     * Something that the relay needs.
     *
     * @param awayForMilliseconds time since the first of the failures; {@code null} while there is none
     * @param reason what the last attempt failed with; {@code null} while there is none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Need(
            @Schema(enumeration = {"working", "away"}) String state, Long awayForMilliseconds, String reason) {}

    /**
     * What the relay sees now.
     *
     * @param on whether this process delivers events at all
     */
    public record View(boolean on, Need kafka, Need database) {}

    /** Reads nothing but memory. */
    public View view() {
        return new View(relay.isOn(), need(relay.kafka()), need(relay.database()));
    }

    private static Need need(Outage outage) {
        return outage.isOn()
                ? new Need("away", outage.lasting().toMillis(), outage.reason())
                : new Need("working", null, null);
    }
}
