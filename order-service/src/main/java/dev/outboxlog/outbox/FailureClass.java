package dev.outboxlog.outbox;

import java.util.Locale;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;

/** Whom a failed send concerns, and so what happens next. */
enum FailureClass {
    /** All of Kafka: time-out, disconnect, too few replicas, authentication. Nobody's attempt is consumed; the relay waits and probes. */
    BROKER,
    /** One topic: unknown, or access denied. The event goes on hold and is tried again; other topics flow. */
    TOPIC,
    /** One record: too large, not to be serialised, invalid. No repetition helps: the event is parked; other aggregates flow. */
    RECORD;

    /**
     * Decides by the exception and its causes. The client often wraps: a topic that does not exist is a time-out whose cause tells. What is
     * not known is taken for {@link #BROKER}, the class that gives nothing up.
     */
    static FailureClass of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownTopicOrPartitionException || cause instanceof TopicAuthorizationException) {
                return TOPIC;
            }
            if (cause instanceof RecordTooLargeException
                    || cause instanceof RecordBatchTooLargeException
                    || cause instanceof SerializationException
                    || cause instanceof InvalidRecordException
                    || cause instanceof InvalidTimestampException
                    || cause instanceof InvalidTopicException
                    || cause instanceof UnsupportedForMessageFormatException
                    || cause instanceof PolicyViolationException) {
                return RECORD;
            }
            if (cause == cause.getCause()) {
                break;
            }
        }
        return BROKER;
    }

    /** As metrics and the database spell it. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
