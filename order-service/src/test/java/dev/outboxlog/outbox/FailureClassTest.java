package dev.outboxlog.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FailureClassTest {

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new TimeoutException("expired"), FailureClass.BROKER),
                Arguments.of(new NotEnoughReplicasException("1 of 2"), FailureClass.BROKER),
                Arguments.of(new SaslAuthenticationException("no"), FailureClass.BROKER),
                Arguments.of(new OutOfOrderSequenceException("7 after 5"), FailureClass.PRODUCER),
                Arguments.of(new ClusterAuthorizationException("no id"), FailureClass.PRODUCER),
                Arguments.of(new KafkaException("part of a batch with an invalid record"), FailureClass.BROKER),
                Arguments.of(new UnknownTopicOrPartitionException("gone"), FailureClass.TOPIC),
                Arguments.of(new TopicAuthorizationException("denied"), FailureClass.TOPIC),
                Arguments.of(
                        new TimeoutException("not present", new UnknownTopicOrPartitionException("gone")),
                        FailureClass.TOPIC),
                Arguments.of(new RecordTooLargeException("1 MB"), FailureClass.RECORD),
                Arguments.of(new SerializationException("no"), FailureClass.RECORD),
                Arguments.of(new InvalidTopicException("a b"), FailureClass.RECORD),
                Arguments.of(
                        new ExecutionException(new KafkaException(new RecordTooLargeException("1 MB"))),
                        FailureClass.RECORD));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whomAFailureConcernsIsDecidedByItAndItsCauses(Throwable failure, FailureClass expected) {
        assertThat(FailureClass.of(failure)).isEqualTo(expected);
    }

    @Test
    void whatAClosedClientThrowsSaysThatItWillNeverSendAgain() {
        assertThat(FailureClass.ofThrown(new IllegalStateException("closed"))).isEqualTo(FailureClass.PRODUCER);
        assertThat(FailureClass.ofThrown(new KafkaException("after close"))).isEqualTo(FailureClass.PRODUCER);
        assertThat(FailureClass.ofThrown(new SerializationException("no"))).isEqualTo(FailureClass.RECORD);
        assertThat(FailureClass.ofThrown(new TimeoutException("no metadata"))).isEqualTo(FailureClass.BROKER);
    }
}
