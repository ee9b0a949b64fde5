package dev.outboxlog.outbox.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.ApplicationScoped;

/** The meters of what people do. Counted after the commit; each replica counts its own: take the sum. */
@ApplicationScoped
class OpsMetrics {

    private final MeterRegistry registry;

    OpsMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Notes a deed that is committed. */
    void acted(String action, Result result) {
        Counter.builder("outbox.actions")
                .tag("action", action)
                .tag("outcome", outcome(result))
                .description("What people did to the outbox: changed, unchanged or refused. Sum over replicas.")
                .register(registry)
                .increment();
    }

    private static String outcome(Result result) {
        if (result instanceof Result.Done) {
            return "changed";
        }
        return result instanceof Result.Behind || result instanceof Result.Paused ? "refused" : "unchanged";
    }
}
