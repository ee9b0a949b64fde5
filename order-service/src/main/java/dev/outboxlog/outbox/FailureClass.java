package dev.outboxlog.outbox;

import java.util.Locale;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Whom a failed send concerns, and so what happens next. */
enum FailureClass {
    /** All of Kafka: time-out, disconnect, too few replicas, authentication. Nobody's attempt is consumed; the relay waits and probes. */
    BROKER,
    /** One topic: unknown, or access denied. The event goes on hold and is tried again; other topics flow. */
    TOPIC,
    /** One record: too large, not to be serialised, invalid. No repetition helps: the event is parked; other aggregates flow. */
    RECORD,
    /**
     * The client itself: fenced, refused, closed. It will answer every further send so. Nobody's attempt is consumed; the relay goes on with a new
     * one.
     */
    PRODUCER,
    /** Whoever delivers: claims of this one event, and of nothing else, do not come back. The event is parked. */
    RELAY;

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
            // By Kafka's protocol the producer cannot leave the state that these put it into.
            if (cause instanceof ProducerFencedException
                    || cause instanceof InvalidProducerEpochException
                    || cause instanceof OutOfOrderSequenceException
                    || cause instanceof ClusterAuthorizationException
                    || cause instanceof UnsupportedVersionException) {
                return PRODUCER;
            }
            if (cause == cause.getCause()) {
                break;
            }
        }
        return BROKER;
    }

    /**
     * Decides for an exception that the client threw instead of reporting it for a record. Then one without a type of its own says that the client
     * is closed or "in an error state"; reported for a record, it only says that a neighbour in the same batch was invalid. A new producer is never
     * wrong, only dear.
     */
    static FailureClass ofThrown(RuntimeException failure) {
        FailureClass reported = of(failure);
        boolean clientItself = failure.getClass() == KafkaException.class || failure instanceof IllegalStateException;
        return reported == BROKER && clientItself ? PRODUCER : reported;
    }

    /** Whether nothing at all can be sent, and so nobody's attempt is consumed. */
    boolean isEverybodys() {
        return this == BROKER || this == PRODUCER;
    }

    /** As metrics and the database spell it. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
