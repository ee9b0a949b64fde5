package dev.outboxlog.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings with which events could be lost, reordered or sent by two relays are refused at the start. */
class RelaySettingsTest {

    private static final Map<String, String> PRODUCER = Map.of(
            "bootstrap.servers", "localhost:9092",
            "key.serializer", "org.apache.kafka.common.serialization.StringSerializer",
            "value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer",
            "acks", "all",
            "enable.idempotence", "true",
            "max.block.ms", "5000",
            "request.timeout.ms", "5000",
            "delivery.timeout.ms", "15000");

    @Test
    void theDefaultsAreSafe() {
        RelaySettings settings = RelaySettings.of(config(Map.of()), PRODUCER);
        assertThat(settings.lease()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.sendWindow()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.sendTimeout()).isEqualTo(Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @CsvSource({
        "acks, 1, acks=1",
        "acks, 0, acks=0",
        "enable.idempotence, false, enable.idempotence=false",
        "delivery.timeout.ms, 120000, at least PT4M20S",
        "max.block.ms, 60000, at least PT2M40S",
        "max.request.size, 1000, max.request.size=1000",
    })
    void anUnsafeProducerIsRefused(String setting, String value, String said) {
        Map<String, String> producer = new HashMap<>(PRODUCER);
        producer.put(setting, value);
        if (setting.equals("acks")) {
            producer.put("enable.idempotence", "false");
        }
        assertThatThrownBy(() -> RelaySettings.of(config(Map.of()), producer)).hasMessageContaining(said);
    }

    @Test
    void aLeaseThatASendCanOutliveIsRefusedWithTheNumbersAndTheWayOut() {
        assertThatThrownBy(() -> RelaySettings.of(config(Map.of("outbox.relay.lease", "49s")), PRODUCER))
                .hasMessageContaining("outbox.relay.lease=PT49S is too short")
                .hasMessageContaining("max.block.ms (PT5S)")
                .hasMessageContaining("delivery.timeout.ms (PT15S)")
                .hasMessageContaining("set the lease to at least PT50S");
        assertThat(RelaySettings.of(config(Map.of("outbox.relay.lease", "50s")), PRODUCER))
                .isNotNull();
    }

    @Test
    void aMistypedKeyIsRefused() {
        assertThatThrownBy(() -> config(Map.of("outbox.relay.leese", "50s")))
                .hasMessageContaining("outbox.relay.leese");
    }

    private static OutboxConfig config(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("outbox.source", "/test");
        return new SmallRyeConfigBuilder()
                .withMapping(OutboxConfig.class)
                .withSources(new PropertiesConfigSource(all, "test", 500))
                .withConverter(MemorySize.class, 500, new MemorySizeConverter())
                .withConverter(Duration.class, 500, new DurationConverter())
                .build()
                .getConfigMapping(OutboxConfig.class);
    }
}
