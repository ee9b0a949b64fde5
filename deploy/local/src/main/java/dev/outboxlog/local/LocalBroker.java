package dev.outboxlog.local;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A broker on loopback that was started from here, wherever it runs. */
public sealed interface LocalBroker extends AutoCloseable permits LocalKafka, LocalKafkaProcess {

    /** Brings a broker up at a given place, for the first time or again. */
    interface Start {
        /**
         * Returns when clients can use it and it has the topics.
         *
         * @param directory where the log and the settings live; what an earlier broker left there is kept
         * @param port the clients' port
         * @param controllerPort the port on which the node talks to itself
         * @param topics the topics that must exist
         */
        LocalBroker at(Path directory, int port, int controllerPort, List<String> topics) throws Exception;
    }

    /** {@code host:port}, as clients want it. */
    String bootstrapServers();

    /** What a Quarkus service has to be told to use this broker. */
    default Map<String, String> serviceSettings() {
        return Map.of("kafka.bootstrap.servers", bootstrapServers());
    }

    /** Stops the broker in an orderly way; its log stays on disk. */
    @Override
    void close();
}
