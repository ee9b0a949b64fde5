package dev.outboxlog.order;

import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.testing.Database;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that have taken all of their connections take none of the relay's. */
@QuarkusTest
@TestProfile(BusyPoolTest.PatientRequests.class)
@Timeout(90)
class BusyPoolTest {

    private static final int CONNECTIONS = 20;

    /** Requests that wait for a lock for longer than the test needs. */
    public static class PatientRequests implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "database.lock-timeout",
                    "60s",
                    "database.statement-timeout",
                    "70s",
                    "database.acquire-timeout",
                    "1s");
        }
    }

    @Test
    void eventsAreDeliveredWhileRequestsHaveNoConnectionLeft() throws Exception {
        // Given
        ExecutorService clients = Executors.newCachedThreadPool();
        List<CompletableFuture<Integer>> answers;
        UUID event = UUID.randomUUID();
        try (var psql = DATABASE.connect()) {
            psql.setAutoCommit(false);
            Database.execute(psql, "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
            answers = IntStream.range(0, CONNECTIONS)
                    .mapToObj(n -> CompletableFuture.supplyAsync(
                            () -> Orders.place(Orders.VALID).statusCode(), clients))
                    .toList();
            await().untilAsserted(() -> assertThat(waiting()).isEqualTo(CONNECTIONS));
            // When
            DATABASE.execute("INSERT INTO outbox (id, topic, payload) VALUES (?, 'orders', '{}')", event);
            // Then
            await().untilAsserted(() -> assertThat(DATABASE.text("SELECT status FROM outbox WHERE id = ?", event))
                    .isEqualTo("delivered"));
            assertThat(waiting()).isEqualTo(CONNECTIONS);
            // And one request more is told to come again
            Orders.place(Orders.VALID).then().statusCode(503).header("Retry-After", "1");
            psql.rollback();
        } finally {
            clients.shutdown();
        }
        // And all goes on
        assertThat(answers).allSatisfy(answer -> assertThat(answer.get()).isEqualTo(201));
        Orders.placed();
    }

    private static long waiting() {
        return DATABASE.number(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'order-service'");
    }
}
