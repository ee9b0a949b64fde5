package dev.outboxlog.inbox;

import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** DOWN while the broker does not answer. The database has a check of its own. Runs on a worker thread. */
@Readiness
class InboxReadiness implements HealthCheck {

    private final BrokerProbe broker;
    private final Progress progress;

    InboxReadiness(BrokerProbe broker, Progress progress) {
        this.broker = broker;
        this.progress = progress;
    }

    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.named("broker")
                .withData("lag", progress.lag())
                .status(broker.answers())
                .build();
    }
}
