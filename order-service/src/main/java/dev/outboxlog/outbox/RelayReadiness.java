package dev.outboxlog.outbox;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/**
 * Says whether events can be delivered at the moment, and if not why. Always up: orders are accepted while Kafka is away, their events wait
 * in the outbox. Whether the database answers is another check's business.
 */
@Readiness
@ApplicationScoped
class RelayReadiness implements HealthCheck {

    private final Relay relay;

    RelayReadiness(Relay relay) {
        this.relay = relay;
    }

    @Override
    public HealthCheckResponse call() {
        var response = HealthCheckResponse.named("outbox delivery").up();
        Outage kafka = relay.kafka();
        String reason = kafka.reason();
        if (!relay.isOn()) {
            response.withData("delivery", "off in this process");
        } else if (reason == null) {
            response.withData("delivery", "working");
        } else {
            response.withData("delivery", "waiting for Kafka")
                    .withData("sinceMilliseconds", kafka.lasting().toMillis())
                    .withData("reason", reason);
        }
        return response.build();
    }
}
