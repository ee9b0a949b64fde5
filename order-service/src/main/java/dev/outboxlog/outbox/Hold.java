package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.UUID;

/**
 * An event that the cursor passes without delivery.
 *
 * @param attempts failed attempts so far
 * @param nextAttempt time until the next attempt, for {@link State#RETRYING} only
 * @param failureClass what kind of failure it was; {@code null} for {@link State#BLOCKED}
 * @param error what the broker or the client said; {@code null} for {@link State#BLOCKED}
 */
record Hold(
        int lane,
        long position,
        UUID eventId,
        String aggregateId,
        State state,
        int attempts,
        Duration nextAttempt,
        FailureClass failureClass,
        String error) {

    enum State {
        /** Has a next attempt. */
        RETRYING,
        /** Waits behind an earlier event of its aggregate. */
        BLOCKED,
        /** Waits for a person. */
        PARKED;

        /** As the database spells it. */
        String sql() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    static Hold blocked(StoredEvent event) {
        return new Hold(
                event.lane(),
                event.position(),
                event.id(),
                event.aggregateId(),
                State.BLOCKED,
                event.attempts(),
                null,
                null,
                null);
    }
}
