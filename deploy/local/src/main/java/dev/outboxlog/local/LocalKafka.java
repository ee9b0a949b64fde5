package dev.outboxlog.local;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.utils.Time;

/**
 * A real Kafka broker inside this JVM: one KRaft node that is broker and controller, without authentication, on loopback.
 * Topics that nobody created appear at the first use with {@value #PARTITIONS} partitions. Not for production.
 */
public final class LocalKafka implements LocalBroker {

    /** Partitions of a new topic. */
    public static final int PARTITIONS = 6;

    private static final String CONTROLLERS = "controller.quorum.voters";

    private final KafkaRaftServer server;
    private final Map<String, String> settings;
    private final String clusterId;
    private final String bootstrapServers;

    private LocalKafka(KafkaRaftServer server, Map<String, String> settings, String clusterId, int port) {
        this.server = server;
        this.settings = settings;
        this.clusterId = clusterId;
        this.bootstrapServers = "127.0.0.1:" + port;
    }

    /**
     * Starts the broker and creates the topics that it lacks.
     *
     * @param directory where the log and the settings live; what an earlier broker left there is kept
     * @param port the clients' port
     * @param controllerPort the port on which the node talks to itself
     * @param topics the topics that must exist
     */
    public static LocalKafka start(Path directory, int port, int controllerPort, List<String> topics)
            throws IOException, InterruptedException, ExecutionException {
        LocalKafka kafka = start(
                directory,
                settings(directory, port, controllerPort),
                Uuid.randomUuid().toString(),
                port);
        kafka.createTopics(topics);
        return kafka;
    }

    /**
     * Starts a second broker that joins this one, so that topics can have two replicas. This one stays the only controller: it has to be there
     * before the other, and to go after it.
     *
     * @param directory where the other broker's log lives; what an earlier one left there is kept
     * @param port the clients' port of the other broker
     */
    public LocalKafka startSecond(Path directory, int port) throws IOException {
        Map<String, String> second = settings(directory, port, 0);
        second.put("process.roles", "broker");
        second.put("node.id", "2");
        second.put(CONTROLLERS, settings.get(CONTROLLERS));
        second.put("listeners", "PLAINTEXT://127.0.0.1:" + port);
        return start(directory, second, clusterId, port);
    }

    private static LocalKafka start(Path directory, Map<String, String> settings, String newClusterId, int port)
            throws IOException {
        Files.createDirectories(directory);
        Path meta = directory.resolve("log/meta.properties");
        if (!Files.exists(meta)) {
            format(directory, settings, newClusterId);
        }
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(meta)) {
            properties.load(in);
        }
        var server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
        server.startup();
        return new LocalKafka(server, settings, properties.getProperty("cluster.id"), port);
    }

    private static Map<String, String> settings(Path directory, int port, int controllerPort) {
        Map<String, String> settings = new HashMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put(CONTROLLERS, "1@127.0.0.1:" + controllerPort);
        settings.put("listeners", "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort));
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("log.dirs", directory.resolve("log").toString());
        settings.put("num.partitions", Integer.toString(PARTITIONS));
        settings.put("default.replication.factor", "1");
        settings.put("auto.create.topics.enable", "true");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "4");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "4");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("share.coordinator.state.topic.num.partitions", "1");
        // Nothing is forbidden unless somebody forbids it.
        settings.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("allow.everyone.if.no.acl.found", "true");
        // A single developer's group need not wait for more members.
        settings.put("group.initial.rebalance.delay.ms", "0");
        return settings;
    }

    private static void format(Path directory, Map<String, String> settings, String clusterId) throws IOException {
        Path file = directory.resolve("server.properties");
        Properties properties = new Properties();
        properties.putAll(settings);
        try (OutputStream out = Files.newOutputStream(file)) {
            properties.store(out, null);
        }
        var printed = new ByteArrayOutputStream();
        int exit = StorageTool.execute(
                new String[] {"format", "-t", clusterId, "-c", file.toString()},
                new PrintStream(printed, true, StandardCharsets.UTF_8));
        if (exit != 0) {
            throw new IOException("Kafka's storage in " + directory + " cannot be formatted: "
                    + printed.toString(StandardCharsets.UTF_8));
        }
    }

    /** Creates the topics that do not exist yet, with {@value #PARTITIONS} partitions each. */
    public void createTopics(List<String> topics) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            for (String topic : topics) {
                try {
                    admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                            .all()
                            .get();
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw e;
                    }
                }
            }
        }
    }

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
