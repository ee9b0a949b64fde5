package dev.outboxlog.inbox;

import io.smallrye.common.annotation.Identifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/**
 * DOWN when only a restart can help: the loop is dead, or there is work, both dependencies answer, and nothing moves. A dependency
 * that is merely away is no reason to restart anything. Runs on a worker thread; asks the dependencies only when in doubt.
 */
@Liveness
class InboxLiveness implements HealthCheck {

    private static final int ANSWER_MILLIS = 2000;

    private final InboxEngine engine;
    private final Progress progress;
    private final DataSource database;
    private final Map<String, Object> kafka;
    private final Duration bound;

    InboxLiveness(
            InboxEngine engine,
            Progress progress,
            DataSource database,
            @Identifier("default-kafka-broker") Map<String, Object> kafka,
            InboxConfig config) {
        this.engine = engine;
        this.progress = progress;
        this.database = database;
        this.kafka = kafka;
        this.bound = config.liveness().stalledAfter();
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response = HealthCheckResponse.named("inbox");
        Duration stalled = progress.stalledFor();
        response.withData("lag", progress.lag()).withData("stalledSeconds", stalled.toSeconds());
        if (!engine.isAlive()) {
            return response.down().withData("reason", "the loop has ended").build();
        }
        boolean stuck =
                stalled.compareTo(bound) > 0 && !progress.waitsForDatabase() && databaseAnswers() && brokerAnswers();
        if (stuck) {
            return response.down()
                    .withData("reason", "there is work, the dependencies answer, and nothing moves")
                    .build();
        }
        return response.up().build();
    }

    /** Over JDBC, not over the pool that the inbox uses: that one may be what is stuck. */
    private boolean databaseAnswers() {
        try (Connection connection = database.getConnection()) {
            return connection.isValid(ANSWER_MILLIS / 1000);
        } catch (SQLException e) {
            return false;
        }
    }

    private boolean brokerAnswers() {
        Map<String, Object> settings = new HashMap<>(kafka);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        try (Admin admin = Admin.create(settings)) {
            admin.describeCluster().clusterId().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            return false;
        }
    }
}
