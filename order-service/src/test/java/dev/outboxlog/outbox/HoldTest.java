package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.testing.Database;
import dev.outboxlog.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bad event stops its own aggregate and nobody else. */
@QuarkusTest
@TestProfile(RelayOff.class)
class HoldTest {

    @Inject
    TestRelays relays;

    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        topic = "hold-" + UUID.randomUUID();
        TopicReader.create(topic, 1, Map.of("max.message.bytes", "2000"));
    }

    @Test
    void anEventThatTheBrokerRefusesForItsSizeIsParkedAndItsAggregateBlocked() throws Exception {
        // Given
        UUID good = append(topic, "bad", 1, "{}");
        UUID tooLarge = append(topic, "bad", 2, "\"" + random(5000) + "\"");
        UUID behind = append(topic, "bad", 3, "{}");
        List<UUID> others = append(topic, "good", 5);
        // When
        relays.relay("relay", TestRelays.LONG).drain();
        UUID later = append(topic, "bad", 4, "{}");
        relays.relay("relay", TestRelays.LONG).drain();
        // Then
        assertThat(status(good)).isEqualTo("delivered");
        assertThat(status(tooLarge)).isEqualTo("parked");
        assertThat(status(behind)).isEqualTo("blocked");
        assertThat(status(later)).isEqualTo("blocked");
        assertThat(others).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        assertThat(Database.text("SELECT last_error FROM outbox WHERE id = ?", tooLarge))
                .contains("RecordTooLarge");
        assertThat(Database.text("SELECT failure_class FROM outbox_hold WHERE event_id = ?", tooLarge))
                .isEqualTo("record");
        assertThat(TopicReader.ids(TopicReader.read(topic))).doesNotContain(text(tooLarge), text(behind), text(later));
    }

    @Test
    void aParkedEventThatIsRetriedGoesFirstAndThoseBehindFollow() throws Exception {
        // Given
        UUID tooLarge = append(topic, "a", 1, "\"" + random(5000) + "\"");
        UUID behind = append(topic, "a", 2, "{}");
        relays.relay("relay", TestRelays.LONG).drain();
        UUID later = append(topic, "a", 3, "{}");
        relays.relay("relay", TestRelays.LONG).drain();
        // When
        setMaxMessageBytes("20000");
        Database.execute(
                "UPDATE outbox_hold SET state = 'retrying', next_attempt_at = clock_timestamp() WHERE event_id = ?",
                tooLarge);
        relays.relay("relay", TestRelays.LONG).drain();
        // Then
        assertThat(TopicReader.ids(TopicReader.read(topic))).containsExactly(text(tooLarge), text(behind), text(later));
        assertThat(Database.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThat(Database.column("SELECT DISTINCT status FROM outbox")).containsExactly("delivered");
        assertThat(Database.number("SELECT count(*) FROM outbox WHERE delivered_at IS NOT NULL"))
                .isEqualTo(3);
    }

    @Test
    void anEventForATopicWithAnImpossibleNameIsParkedAndOthersFlow() throws Exception {
        // Given
        UUID impossible = append("no topic can be named so", "a", 1).get(0);
        UUID good = append(topic, "b", 1).get(0);
        // When
        relays.relay("relay", TestRelays.LONG).drain();
        // Then
        assertThat(status(impossible)).isEqualTo("parked");
        assertThat(status(good)).isEqualTo("delivered");
    }

    @Test
    void anEventWhoseTopicIsMissingIsRetriedUntilTheTopicIsThere() throws Exception {
        // Given: the broker creates topics that are asked for, except where a name differs only in . and _
        TopicReader.create("missing.topic." + topic, 1, Map.of());
        String missing = "missing_topic." + topic;
        List<UUID> waiting = append(missing, "a", 2);
        UUID good = append(topic, "b", 1).get(0);
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        relay.cycle();
        // Then
        assertThat(waiting).extracting(TestRelays::status).containsExactly("retrying", "blocked");
        assertThat(Database.text("SELECT failure_class FROM outbox_hold WHERE event_id = ?", waiting.get(0)))
                .isEqualTo("topic");
        assertThat(status(good)).isEqualTo("delivered");
        // When
        deleteTopic("missing.topic." + topic);
        TopicReader.create(missing, 1, Map.of());
        // Then
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            relay.cycle();
            assertThat(waiting).extracting(TestRelays::status).containsExactly("delivered", "delivered");
        });
        assertThat(TopicReader.ids(TopicReader.read(missing)))
                .containsExactly(text(waiting.get(0)), text(waiting.get(1)));
    }

    @Test
    void tooFewReplicasParkNothingAndMarkNothingDelivered() throws Exception {
        // Given
        topic = "too-few-" + topic;
        TopicReader.create(topic, 1, Map.of("min.insync.replicas", "2"));
        List<UUID> ids = append(topic, "a", 3);
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        assertThat(relay.cycle()).isEqualTo(RelayWorker.Cycle.FAILED);
        assertThat(relay.cycle()).isEqualTo(RelayWorker.Cycle.FAILED);
        // Then
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("pending"));
        assertThat(Database.number("SELECT count(*) FROM outbox_hold")).isZero();
        // When
        set("min.insync.replicas", "1");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            relay.cycle();
            assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
        });
        // Then
        assertThat(TopicReader.ids(TopicReader.read(topic)).stream().distinct().toList())
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
    }

    private void setMaxMessageBytes(String bytes) throws Exception {
        set("max.message.bytes", bytes);
    }

    private void set(String setting, String value) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var change = new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET);
        try (Admin admin = admin()) {
            admin.incrementalAlterConfigs(Map.of(resource, List.of(change)))
                    .all()
                    .get();
        }
    }

    private static void deleteTopic(String name) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", System.getProperty("kafka.bootstrap.servers")));
    }

    /** Text that does not compress. */
    private static String random(int length) {
        var random = new java.util.Random(length);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(Long.toHexString(random.nextLong()));
        }
        return text.toString();
    }

    private static String text(UUID id) {
        return id.toString();
    }
}
