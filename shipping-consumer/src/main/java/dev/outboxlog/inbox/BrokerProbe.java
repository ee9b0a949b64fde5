package dev.outboxlog.inbox;

import io.smallrye.common.annotation.Identifier;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** Asks the broker whether it is there, within a bound: the check that the platform brings waits for a minute. Blocks. */
@Singleton
class BrokerProbe {

    private static final int ANSWER_MILLIS = 2000;

    private final Map<String, Object> settings;
    private Admin admin;

    BrokerProbe(@Identifier("default-kafka-broker") Map<String, Object> common) {
        this.settings = new HashMap<>(common);
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    }

    boolean answers() {
        try {
            admin().describeCluster().clusterId().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            return false;
        }
    }

    private synchronized Admin admin() {
        if (admin == null) {
            admin = Admin.create(settings);
        }
        return admin;
    }

    @PreDestroy
    synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ofMillis(ANSWER_MILLIS));
        }
    }
}
