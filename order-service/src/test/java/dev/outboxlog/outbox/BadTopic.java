package dev.outboxlog.outbox;

import static dev.outboxlog.outbox.TestRelays.append;
import static dev.outboxlog.testing.Servers.TOPICS;

import dev.outboxlog.local.testing.TopicReader;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** A topic that takes small records only, until a person mends it. */
record BadTopic(String name) {

    private static final int TOO_LARGE = 5000;

    static BadTopic create(String prefix) throws Exception {
        String name = prefix + "-" + UUID.randomUUID();
        TOPICS.create(name, 1, Map.of("max.message.bytes", "2000"));
        return new BadTopic(name);
    }

    UUID appendTooLarge(String aggregate, int sequence) {
        return append(name, aggregate, sequence, "\"" + random() + "\"");
    }

    UUID appendGood(String aggregate, int sequence) {
        return append(name, aggregate, sequence, "{}");
    }

    /** Now it takes what was too large. */
    void mend() throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        var change = new AlterConfigOp(new ConfigEntry("max.message.bytes", "20000"), AlterConfigOp.OpType.SET);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", System.getProperty("kafka.bootstrap.servers")))) {
            admin.incrementalAlterConfigs(Map.of(resource, List.of(change)))
                    .all()
                    .get();
        }
    }

    /** The ids in the topic, in order. */
    List<String> ids() {
        return TopicReader.ids(TOPICS.read(name));
    }

    static String[] texts(UUID... ids) {
        return java.util.Arrays.stream(ids).map(UUID::toString).toArray(String[]::new);
    }

    /** Text that does not compress. */
    private static String random() {
        Random random = new Random(TOO_LARGE);
        StringBuilder text = new StringBuilder();
        while (text.length() < TOO_LARGE) {
            text.append(Long.toHexString(random.nextLong()));
        }
        return text.toString();
    }
}
