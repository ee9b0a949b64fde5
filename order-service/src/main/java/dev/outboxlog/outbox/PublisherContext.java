package dev.outboxlog.outbox;

import java.time.Duration;

/** What all publications of a relay share. */
record PublisherContext(
        RenewableProducer producer,
        Topics topics,
        CloudEventRecords records,
        RelaySettings settings,
        OutboxMetrics metrics,
        StopSignal stop) {

    private static final int LONGEST_ERROR = 1_000;

    /** How an event that could not be published goes on hold. */
    Hold hold(StoredEvent event, FailureClass failureClass, Throwable failure) {
        int attempts = event.attempts() + 1;
        boolean again = failureClass == FailureClass.TOPIC;
        Duration nextAttempt = again ? settings.hold().pause(attempts) : null;
        return new Hold(
                event.lane(),
                event.position(),
                event.id(),
                event.aggregateId(),
                again ? Hold.State.RETRYING : Hold.State.PARKED,
                attempts,
                nextAttempt,
                failureClass,
                describe(failure));
    }

    /** How an event goes on hold whose claims, of it alone, do not come back. */
    Hold parkedAsKiller(StoredEvent event, int claimsLost) {
        return new Hold(
                event.lane(),
                event.position(),
                event.id(),
                event.aggregateId(),
                Hold.State.PARKED,
                event.attempts() + 1,
                null,
                FailureClass.RELAY,
                claimsLost
                        + " claims did not come back, the last ones of this event alone: whatever delivers it dies or hangs");
    }

    /** An error in one line, for the database and for logs. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = failure; cause != null && text.length() < LONGEST_ERROR; cause = cause.getCause()) {
            if (text.length() > 0) {
                text.append(", caused by ");
            }
            text.append(cause.getClass().getSimpleName()).append(": ").append(cause.getMessage());
        }
        return text.length() <= LONGEST_ERROR ? text.toString() : text.substring(0, LONGEST_ERROR);
    }
}
