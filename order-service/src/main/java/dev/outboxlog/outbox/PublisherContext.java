package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.UUID;
import org.apache.kafka.clients.producer.Producer;

/** What all publications of a relay share. */
record PublisherContext(
        Producer<String, byte[]> producer,
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
                UUID.fromString(event.id()),
                event.aggregateId(),
                again ? Hold.State.RETRYING : Hold.State.PARKED,
                attempts,
                nextAttempt,
                failureClass,
                describe(failure));
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
