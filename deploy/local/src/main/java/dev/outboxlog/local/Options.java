package dev.outboxlog.local;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param data the folder to keep data in; empty for a temporary one
 * @param ordersPort HTTP port of order-service
 * @param shippingPort HTTP port of shipping-consumer
 * @param postgresPort port of PostgreSQL, 0 for a free one
 * @param kafkaPort port of Kafka, 0 for a free one
 * @param serversOnly whether the services are left out
 */
record Options(
        Optional<Path> data, int ordersPort, int shippingPort, int postgresPort, int kafkaPort, boolean serversOnly) {

    static final String USAGE = """
            usage: java -jar deploy/local/target/local-run.jar [options]

              --data DIR            keep data below DIR and find it there next time (default: a temporary folder)
              --orders-port N       HTTP port of order-service (default 8080; its management port is 1000 higher)
              --shipping-port N     HTTP port of shipping-consumer (default 8081; its management port is 1000 higher)
              --postgres-port N     port of PostgreSQL (default 15432, 0 for a free one)
              --kafka-port N        port of Kafka (default 19092, 0 for a free one)
              --servers-only        only PostgreSQL and Kafka, for services that you start yourself
              --help                this text
            """;

    /**
     * Reads the command line.
     *
     * @throws IllegalArgumentException whose message says which argument is wrong and why
     */
    static Options parse(List<String> arguments) {
        Optional<Path> data = Optional.empty();
        int ordersPort = 8080;
        int shippingPort = 8081;
        int postgresPort = 15432;
        int kafkaPort = 19092;
        boolean serversOnly = false;
        Deque<String> rest = new ArrayDeque<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.pop();
            switch (option) {
                case "--data" -> data = Optional.of(Path.of(value(option, rest)));
                case "--orders-port" -> ordersPort = port(option, rest, 1);
                case "--shipping-port" -> shippingPort = port(option, rest, 1);
                case "--postgres-port" -> postgresPort = port(option, rest, 0);
                case "--kafka-port" -> kafkaPort = port(option, rest, 0);
                case "--servers-only" -> serversOnly = true;
                default -> throw new IllegalArgumentException("there is no option '" + option + "'");
            }
        }
        return new Options(data, ordersPort, shippingPort, postgresPort, kafkaPort, serversOnly);
    }

    private static String value(String option, Deque<String> rest) {
        if (rest.isEmpty() || rest.peek().startsWith("--")) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return rest.pop();
    }

    private static int port(String option, Deque<String> rest, int lowest) {
        String value = value(option, rest);
        try {
            int port = Integer.parseInt(value);
            if (port >= lowest && port <= 64535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // the message below says it all
        }
        throw new IllegalArgumentException(
                "%s needs a port from %d to 64535, not '%s'".formatted(option, lowest, value));
    }
}
