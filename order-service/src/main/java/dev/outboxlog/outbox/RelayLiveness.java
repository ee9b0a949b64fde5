package dev.outboxlog.outbox;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** Down when a relay worker is dead or stuck, which only a restart mends. Up while Kafka or the database is merely away. */
@Liveness
@ApplicationScoped
class RelayLiveness implements HealthCheck {

    private final Relay relay;

    RelayLiveness(Relay relay) {
        this.relay = relay;
    }

    @Override
    public HealthCheckResponse call() {
        var response = HealthCheckResponse.named("outbox relay");
        if (!relay.isOn()) {
            return response.up().withData("relay", "off in this process").build();
        }
        return response.status(relay.isAlive())
                .withData("millisecondsSinceLastCycle", relay.sinceLastCycle().toMillis())
                .withData("longestCycleMilliseconds", relay.longestCycle().toMillis())
                .build();
    }
}
