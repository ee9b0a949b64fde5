package dev.outboxlog.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
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

    private static final int ANSWER_SECONDS = 2;

    private final InboxEngine engine;
    private final Progress progress;
    private final DataSource database;
    private final BrokerProbe broker;
    private final Duration bound;

    InboxLiveness(InboxEngine engine, Progress progress, DataSource database, BrokerProbe broker, InboxConfig config) {
        this.engine = engine;
        this.progress = progress;
        this.database = database;
        this.broker = broker;
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
                stalled.compareTo(bound) > 0 && !progress.waitsForDatabase() && databaseAnswers() && broker.answers();
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
            return connection.isValid(ANSWER_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }
}
