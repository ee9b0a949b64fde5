package dev.outboxlog.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Both servers that the services need: one PostgreSQL with the databases {@value #ORDERS} and {@value #SHIPPING}, one Kafka with
 * the topic {@value #TOPIC}.
 */
public final class LocalServers implements AutoCloseable {

    /** The database of order-service. */
    public static final String ORDERS = "orders";
    /** The database of shipping-consumer. */
    public static final String SHIPPING = "shipping";
    /** The topic that carries the events of orders. */
    public static final String TOPIC = "orders";

    private final LocalPostgres postgres;
    private final KafkaPlace kafkaPlace;
    private LocalBroker kafka;

    /** Where the broker is: a restarted one comes back there. */
    private record KafkaPlace(LocalBroker.Start start, Path directory, int port, int controllerPort) {
        LocalBroker broker() throws Exception {
            return start.at(directory, port, controllerPort, List.of(TOPIC));
        }
    }

    private LocalServers(LocalPostgres postgres, KafkaPlace kafkaPlace, LocalBroker kafka) {
        this.postgres = postgres;
        this.kafkaPlace = kafkaPlace;
        this.kafka = kafka;
    }

    /**
     * Starts both servers.
     *
     * @param directory where they keep their data; what earlier servers left there is kept
     * @param postgresPort the port of PostgreSQL, 0 for a free one
     * @param kafkaPort the port of Kafka, 0 for a free one
     */
    public static LocalServers start(Path directory, int postgresPort, int kafkaPort) throws Exception {
        return start(directory, postgresPort, kafkaPort, LocalKafka::start);
    }

    private static LocalServers start(Path directory, int postgresPort, int kafkaPort, LocalBroker.Start broker)
            throws Exception {
        Path home = Files.createDirectories(directory).toAbsolutePath().normalize();
        LocalPostgres postgres =
                LocalPostgres.start(home.resolve("postgres"), portOrFree(postgresPort), List.of(ORDERS, SHIPPING));
        try {
            KafkaPlace kafka = new KafkaPlace(broker, home.resolve("kafka"), portOrFree(kafkaPort), portOrFree(0));
            return new LocalServers(postgres, kafka, kafka.broker());
        } catch (Exception e) {
            postgres.close();
            throw e;
        }
    }

    /** Starts both servers on free ports with data that goes when they are closed. */
    public static Temporary startTemporary() throws Exception {
        return startTemporary(LocalKafka::start);
    }

    /**
     * The same with another broker than one in this JVM.
     *
     * @param broker starts it
     */
    public static Temporary startTemporary(LocalBroker.Start broker) throws Exception {
        Path directory = Files.createTempDirectory("outboxlog-");
        return new Temporary(directory, start(directory, 0, 0, broker));
    }

    /** A port that was free a moment ago, or the given one where it is not 0. */
    public static int portOrFree(int port) throws IOException {
        if (port != 0) {
            return port;
        }
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Deletes a folder with all that is in it. */
    public static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** The database server. */
    public LocalPostgres postgres() {
        return postgres;
    }

    /** The broker. */
    public LocalBroker kafka() {
        return kafka;
    }

    /** Takes the broker away, as an outage does. */
    public void stopKafka() {
        kafka.close();
    }

    /** Brings the broker back, at the same address and with what it held. */
    public void startKafka() throws Exception {
        kafka = kafkaPlace.broker();
    }

    /** What a Quarkus service has to be told to work on the given database and on the broker. */
    public Map<String, String> serviceSettings(String database) {
        Map<String, String> settings = new HashMap<>(postgres.serviceSettings(database));
        settings.putAll(kafka.serviceSettings());
        return settings;
    }

    @Override
    public void close() throws IOException {
        try {
            kafka.close();
        } finally {
            postgres.close();
        }
    }

    /** Servers whose data folder is deleted after them. */
    public record Temporary(Path directory, LocalServers servers) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                servers.close();
            } finally {
                delete(directory);
            }
        }
    }
}
