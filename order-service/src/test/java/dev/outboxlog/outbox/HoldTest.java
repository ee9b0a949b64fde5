package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static dev.outboxlog.testing.Servers.TOPICS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.testing.TopicReader;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bad event stops its own aggregate and nobody else. */
@QuarkusTest
@TestProfile(RelayOff.class)
class HoldTest {

    @Inject
    TestRelays relays;

    private BadTopic bad;
    private String topic;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        bad = BadTopic.create("hold");
        topic = bad.name();
    }

    @Test
    void anEventThatTheBrokerRefusesForItsSizeIsParkedAndItsAggregateBlocked() throws Exception {
        // Given
        UUID good = append(topic, "bad", 1, "{}");
        UUID tooLarge = bad.appendTooLarge("bad", 2);
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
        assertThat(DATABASE.text("SELECT last_error FROM outbox WHERE id = ?", tooLarge))
                .contains("RecordTooLarge");
        assertThat(DATABASE.text("SELECT failure_class FROM outbox_hold WHERE event_id = ?", tooLarge))
                .isEqualTo("record");
        assertThat(TopicReader.ids(TOPICS.read(topic))).doesNotContain(text(tooLarge), text(behind), text(later));
    }

    @Test
    void aParkedEventThatIsRetriedGoesFirstAndThoseBehindFollow() throws Exception {
        // Given
        UUID tooLarge = bad.appendTooLarge("a", 1);
        UUID behind = append(topic, "a", 2, "{}");
        relays.relay("relay", TestRelays.LONG).drain();
        UUID later = append(topic, "a", 3, "{}");
        relays.relay("relay", TestRelays.LONG).drain();
        // When
        bad.mend();
        DATABASE.execute(
                "UPDATE outbox_hold SET state = 'retrying', next_attempt_at = clock_timestamp() WHERE event_id = ?",
                tooLarge);
        relays.relay("relay", TestRelays.LONG).drain();
        // Then
        assertThat(TopicReader.ids(TOPICS.read(topic))).containsExactly(text(tooLarge), text(behind), text(later));
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThat(DATABASE.column("SELECT DISTINCT status FROM outbox")).containsExactly("delivered");
        assertThat(DATABASE.number("SELECT count(*) FROM outbox WHERE delivered_at IS NOT NULL"))
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
        TOPICS.create("missing.topic." + topic, 1, Map.of());
        String missing = "missing_topic." + topic;
        List<UUID> waiting = append(missing, "a", 2);
        UUID good = append(topic, "b", 1).get(0);
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        relay.cycle();
        // Then
        assertThat(waiting).extracting(TestRelays::status).containsExactly("retrying", "blocked");
        assertThat(DATABASE.text("SELECT failure_class FROM outbox_hold WHERE event_id = ?", waiting.get(0)))
                .isEqualTo("topic");
        assertThat(status(good)).isEqualTo("delivered");
        // When
        deleteTopic("missing.topic." + topic);
        TOPICS.create(missing, 1, Map.of());
        // Then
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            relay.cycle();
            assertThat(waiting).extracting(TestRelays::status).containsExactly("delivered", "delivered");
        });
        assertThat(TopicReader.ids(TOPICS.read(missing))).containsExactly(text(waiting.get(0)), text(waiting.get(1)));
    }

    @Test
    void anEventForATopicThatForbidsItIsRetriedUntilItIsAllowed() throws Exception {
        // Given: everybody may look at the topic, nobody may write to it
        var everybody = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        try (Admin admin = admin()) {
            admin.createAcls(List.of(
                            rule(everybody, AclOperation.WRITE, AclPermissionType.DENY),
                            rule(everybody, AclOperation.READ, AclPermissionType.ALLOW),
                            rule(everybody, AclOperation.DESCRIBE, AclPermissionType.ALLOW)))
                    .all()
                    .get();
        }
        String free = "free-" + UUID.randomUUID();
        TOPICS.create(free, 1, Map.of());
        List<UUID> denied = append(topic, "a", 2);
        UUID good = append(free, "b", 1).get(0);
        var relay = relays.relay("relay", TestRelays.LONG);
        // When
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            relay.cycle();
            assertThat(DATABASE.column("SELECT DISTINCT failure_class FROM outbox_hold WHERE state = 'retrying'"))
                    .containsExactly("topic");
        });
        // Then
        assertThat(denied).extracting(TestRelays::status).containsExactly("retrying", "blocked");
        assertThat(status(good)).isEqualTo("delivered");
        // When
        try (Admin admin = admin()) {
            admin.deleteAcls(List.of(AclBindingFilter.ANY)).all().get();
        }
        // Then
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            relay.cycle();
            assertThat(denied).extracting(TestRelays::status).containsExactly("delivered", "delivered");
        });
        assertThat(TopicReader.ids(TOPICS.read(topic))).containsExactly(text(denied.get(0)), text(denied.get(1)));
    }

    @Test
    void aBrokerThatIsAwayParksNothingAndMarksNothingDelivered() throws Exception {
        // Given
        List<UUID> ids = append(topic, "a", 3);
        try (var unreachable = relays.unreachableProducer()) {
            var relay = relays.relay("relay", TestRelays.LONG, unreachable);
            // When
            assertThat(relay.cycle()).isEqualTo(RelayWorker.Cycle.FAILED);
            assertThat(relay.cycle()).isEqualTo(RelayWorker.Cycle.FAILED);
            // Then
            assertThat(relay.outage().isOn()).isTrue();
            assertThat(relay.outage().reason()).contains("TimeoutException");
        }
        assertThat(ids).allSatisfy(id -> assertThat(status(id)).isEqualTo("pending"));
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
        assertThat(DATABASE.number("SELECT count(*) FROM outbox_lane WHERE owner IS NOT NULL"))
                .isZero();
        // And when one that reaches it takes over
        relays.relay("other", TestRelays.LONG).drain();
        // Then
        assertThat(TopicReader.ids(TOPICS.read(topic)))
                .containsExactlyElementsOf(ids.stream().map(UUID::toString).toList());
    }

    private static AclBinding rule(ResourcePattern topic, AclOperation operation, AclPermissionType permission) {
        return new AclBinding(topic, new AccessControlEntry("User:*", "*", operation, permission));
    }

    private static void deleteTopic(String name) throws Exception {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", System.getProperty("kafka.bootstrap.servers")));
    }

    private static String text(UUID id) {
        return id.toString();
    }
}
