package dev.outboxlog.order;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.NotBlank;

/** Settings of orders. */
@ConfigMapping(prefix = "orders")
public interface OrderConfig {

    /** The Kafka topic that events of orders are published to. Events that are in the outbox already keep the topic they were given. */
    @WithDefault("orders")
    @NotBlank
    String topic();
}
