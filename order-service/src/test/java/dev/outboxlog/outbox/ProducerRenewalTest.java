package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboxlog.local.testing.TopicReader;
import dev.outboxlog.outbox.RelayWorker.Cycle;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Kafka producer that can never send again does not end the relay. */
@QuarkusTest
@TestProfile(RelayOff.class)
class ProducerRenewalTest {

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "renewal-" + UUID.randomUUID();
        TOPICS.create(topic, 1, Map.of());
    }

    @Test
    void aProducerThatWasClosedIsReplacedAndNothingIsParked() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        double before = relays.counter("outbox.producers.renewed");
        var closed = relays.producer(Map.of());
        var relay = relays.relay("relay", TestRelays.LONG, closed);
        closed.close();
        // When
        assertThat(relay.cycle()).isEqualTo(Cycle.FAILED);
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
        relay.drain();
        // Then
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        assertThat(TopicReader.ids(TOPICS.read(topic)))
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
        assertThat(relays.counter("outbox.producers.renewed") - before).isEqualTo(1);
    }

    @Test
    void aProducerThatIsClosedWhileItIsUsedIsReplacedOnceForAllRecords() throws Exception {
        // Given: the topic is known, so that the sends are what fails
        append(topic, "a", 1);
        double before = relays.counter("outbox.producers.renewed");
        var closed = relays.producer(Map.of());
        var relay = relays.relay("relay", TestRelays.LONG, closed);
        relay.drain();
        closed.close();
        List<UUID> ids = List.of(append(topic, "b", 1, "{}"), append(topic, "c", 1, "{}"), append(topic, "d", 1, "{}"));
        // When
        assertThat(relay.cycle()).isEqualTo(Cycle.FAILED);
        // Then
        assertThat(relays.counter("outbox.producers.renewed") - before).isEqualTo(1);
        relay.drain();
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        assertThat(relays.counter("outbox.producers.renewed") - before).isEqualTo(1);
    }

    @Test
    void aClosedProducerIsReplacedOnceThoughManyAggregatesWaitForTheTopic() throws Exception {
        // Given
        List<UUID> ids = List.of(append(topic, "a", 1, "{}"), append(topic, "b", 1, "{}"), append(topic, "c", 1, "{}"));
        double before = relays.counter("outbox.producers.renewed");
        var closed = relays.producer(Map.of());
        var relay = relays.relay("relay", TestRelays.LONG, closed);
        closed.close();
        // When
        relay.cycle();
        // Then
        assertThat(relays.counter("outbox.producers.renewed") - before).isEqualTo(1);
        relay.drain();
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
    }
}
