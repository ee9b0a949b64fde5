package dev.outboxlog.outbox;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.Map;

/** The application without its own relay: the test runs relays of its own, step by step. */
public class RelayOff implements QuarkusTestProfile {

    @Override
    public Map<String, String> getConfigOverrides() {
        return Map.of(
                "outbox.relay.enabled", "false",
                "quarkus.datasource.relay.reactive.max-size", "16",
                "mp.messaging.outgoing.outbox.max.block.ms", "1000",
                "mp.messaging.outgoing.outbox.request.timeout.ms", "1000",
                "mp.messaging.outgoing.outbox.delivery.timeout.ms", "2000");
    }
}
