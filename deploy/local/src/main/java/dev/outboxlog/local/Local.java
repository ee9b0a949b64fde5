package dev.outboxlog.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The whole system on one machine: PostgreSQL, Kafka and both services, until Ctrl-C. */
public final class Local {

    private static final Duration START_UP = Duration.ofSeconds(90);
    private static final int MANAGEMENT_OFFSET = 1000;

    /** What has been started, last first: the order in which it is stopped. */
    private final Deque<AutoCloseable> running = new ArrayDeque<>();

    private final CountDownLatch failed = new CountDownLatch(1);
    private final Options options;
    private final Path data;
    private volatile boolean stopping;

    private Local(Options options, Path data) {
        this.options = options;
        this.data = data;
    }

    /** See {@link Options#USAGE}. Exit codes: 0 stopped by the user, 1 something failed, 2 wrong arguments. */
    public static void main(String[] arguments) throws Exception {
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(Options.USAGE);
            return;
        }
        // The broker says at INFO what only its developers want to know.
        Logger.getLogger("").setLevel(Level.WARNING);
        try {
            Options options = Options.parse(List.of(arguments));
            Path data = options.data().isPresent()
                    ? options.data().get().toAbsolutePath().normalize()
                    : Files.createTempDirectory("outboxlog-");
            new Local(options, data).run();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
        }
    }

    private void run() throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop"));
        try {
            start();
        } catch (Exception e) {
            if (!stopping) {
                System.err.println("The system did not start: " + e.getMessage());
                System.exit(1);
            }
        }
        failed.await();
        System.exit(1);
    }

    private void start() throws Exception {
        checkPorts();
        System.out.println("Data: " + data + (options.data().isPresent() ? "" : " (temporary)"));
        LocalServers servers = LocalServers.start(data, options.postgresPort(), options.kafkaPort());
        started(servers);
        System.out.println("PostgreSQL: " + servers.postgres().url("{orders,shipping}") + " user " + LocalPostgres.USER
                + ", no password");
        System.out.println("Kafka:      " + servers.kafka().bootstrapServers() + " topic " + LocalServers.TOPIC);
        if (!options.serversOnly()) {
            // Both at once: most of a start is waiting for a core to load classes.
            ServiceProcess orders = service("order-service", options.ordersPort(), servers, LocalServers.ORDERS);
            ServiceProcess shipping =
                    service("shipping-consumer", options.shippingPort(), servers, LocalServers.SHIPPING);
            orders.awaitReady(START_UP);
            shipping.awaitReady(START_UP);
            System.out.println(welcome(servers));
        }
        System.out.println("Ctrl-C stops everything.");
    }

    private ServiceProcess service(String name, int port, LocalServers servers, String database) throws IOException {
        ServiceProcess service = ServiceProcess.start(new ServiceProcess.Spec(
                name,
                ServiceProcess.packaged(name),
                port,
                port + MANAGEMENT_OFFSET,
                ServiceProcess.SMALL_JVM,
                servers.serviceSettings(database),
                data.resolve(name + ".log")));
        started(service);
        service.process().onExit().thenRun(() -> {
            if (!stopping) {
                System.err.println(name + " ended with exit code "
                        + service.process().exitValue() + "; its log is " + data.resolve(name + ".log"));
                failed.countDown();
            }
        });
        return service;
    }

    private synchronized void started(AutoCloseable resource) {
        running.push(resource);
    }

    private void checkPorts() {
        Map<String, Integer> ports = new LinkedHashMap<>();
        ports.put("--postgres-port", options.postgresPort());
        ports.put("--kafka-port", options.kafkaPort());
        if (!options.serversOnly()) {
            ports.put("--orders-port", options.ordersPort());
            ports.put("--shipping-port", options.shippingPort());
            ports.put("--orders-port (management, 1000 higher)", options.ordersPort() + MANAGEMENT_OFFSET);
            ports.put("--shipping-port (management, 1000 higher)", options.shippingPort() + MANAGEMENT_OFFSET);
        }
        ports.forEach((option, port) -> {
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException e) {
                throw new UncheckedIOException("port %d is in use; choose another with %s".formatted(port, option), e);
            }
        });
    }

    private String welcome(LocalServers servers) {
        return """

                order-service:      http://localhost:%1$d   (health, metrics: http://localhost:%3$d/q)
                shipping-consumer:  http://localhost:%2$d   (health, metrics: http://localhost:%4$d/q)

                Place an order:
                  curl -si http://localhost:%1$d/orders -H 'Content-Type: application/json' -d '{
                    "customerId": "customer-1",
                    "lines": [{"sku": "BOOK-1", "quantity": 2, "unitPriceMinor": 1999, "currency": "EUR"}],
                    "shippingAddress": {"name": "Ada Lovelace", "street": "12 St James Square", "city": "London", "postalCode": "SW1Y 4JH", "country": "GB"}
                  }'

                See its shipment (take the id from the answer above), and all of them:
                  curl -s http://localhost:%2$d/shipments/ORDER_ID
                  curl -s http://localhost:%2$d/shipments

                Look at the outbox:
                  psql %5$s -U %6$s -c 'SELECT status, count(*) FROM outbox GROUP BY status'
                """.formatted(
                        options.ordersPort(),
                        options.shippingPort(),
                        options.ordersPort() + MANAGEMENT_OFFSET,
                        options.shippingPort() + MANAGEMENT_OFFSET,
                        servers.postgres().url(LocalServers.ORDERS),
                        LocalPostgres.USER);
    }

    private void stop() {
        stopping = true;
        System.out.println("Stopping …");
        Deque<AutoCloseable> resources;
        synchronized (this) {
            resources = new ArrayDeque<>(running);
        }
        for (AutoCloseable resource : resources) {
            try {
                resource.close();
            } catch (Exception e) {
                System.err.println("While stopping: " + e);
            }
        }
        if (options.data().isEmpty()) {
            try {
                LocalServers.delete(data);
            } catch (IOException | UncheckedIOException e) {
                System.err.println("The temporary folder " + data + " could not be deleted: " + e.getMessage());
            }
        }
        System.out.println("Stopped.");
    }
}
