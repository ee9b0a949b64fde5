package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.outbox.TestRelays.status;
import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.LocalKafka;
import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.testing.TopicReader;
import dev.outboxlog.outbox.RelayWorker.Cycle;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An event counts as delivered when as many replicas have it as its topic demands, and not before. Two brokers, because one alone is always
 * enough: Kafka demands no more in-sync replicas than a topic has.
 */
@QuarkusTest
@TestProfile(RelayOff.class)
class TooFewReplicasTest {

    @Inject
    TestRelays relays;

    @TempDir
    Path directory;

    private LocalKafka first;
    private LocalKafka second;

    @BeforeEach
    void start() throws Exception {
        TestRelays.reset();
        first = LocalKafka.start(
                directory.resolve("1"), LocalServers.portOrFree(0), LocalServers.portOrFree(0), List.of());
        second = first.startSecond(directory.resolve("2"), LocalServers.portOrFree(0));
    }

    @AfterEach
    void stop() {
        second.close();
        first.close();
    }

    @Test
    void whileTooFewReplicasAreInSyncNothingIsDeliveredAndAfterwardsAllOfItInOrder() throws Exception {
        // Given
        String topic = "replicated";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", first.bootstrapServers()));
                var producer = relays.producer(Map.of(
                        "bootstrap.servers",
                        first.bootstrapServers(),
                        "request.timeout.ms",
                        1000,
                        "delivery.timeout.ms",
                        2000))) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> admin.describeCluster().nodes().get().size() == 2);
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 2).configs(Map.of("min.insync.replicas", "2"))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            var relay = relays.relay("relay", TestRelays.LONG, producer);
            List<UUID> before = append(topic, "a", 2);
            relay.drain();
            assertThat(before).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
            // When
            second.close();
            List<UUID> during = List.of(append(topic, "a", 3, "{}"), append(topic, "a", 4, "{}"));
            assertThat(relay.cycle()).isEqualTo(Cycle.FAILED);
            assertThat(relay.cycle()).isEqualTo(Cycle.FAILED);
            // Then
            assertThat(during).allSatisfy(id -> assertThat(status(id)).isEqualTo("pending"));
            assertThat(DATABASE.number("SELECT count(*) FROM outbox_hold")).isZero();
            // When
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("min.insync.replicas", "1"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            // Then
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                relay.cycle();
                assertThat(during).allSatisfy(id -> assertThat(status(id)).isEqualTo("delivered"));
            });
            assertThat(TopicReader.ids(new TopicReader(first.bootstrapServers()).read(topic)).stream()
                            .distinct())
                    .containsExactly(
                            before.get(0).toString(),
                            before.get(1).toString(),
                            during.get(0).toString(),
                            during.get(1).toString());
        }
    }
}
