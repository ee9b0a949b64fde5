package dev.outboxlog.e2e;

import static io.restassured.RestAssured.given;

import dev.outboxlog.local.LocalBroker;
import dev.outboxlog.local.LocalKafka;
import dev.outboxlog.local.LocalKafkaProcess;
import dev.outboxlog.local.LocalPostgres;
import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.ServiceProcess;
import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The whole system with the packaged services as processes. Time-outs are shorter than in production, in the same proportions, so that a
 * lease that has to run out does so within seconds.
 */
final class TestSystem implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(8);

    private static final List<String> BROKER_JVM = List.of("-Xmx512m", "-XX:+UseSerialGC");
    private static final Duration START_UP = Duration.ofSeconds(90);
    private static final Path ROOT = Path.of(System.getProperty("project.root"));
    // Kept, because a logger that nobody holds forgets its level.
    private static final Logger LOGGER = Logger.getLogger("");

    private static final Map<String, String> SHORT_TIMEOUTS = Map.of(
            "outbox.relay.lease", LEASE.toSeconds() + "s",
            "outbox.statement-timeout", "1s",
            "mp.messaging.outgoing.outbox.max.block.ms", "1000",
            "mp.messaging.outgoing.outbox.request.timeout.ms", "1000",
            "mp.messaging.outgoing.outbox.delivery.timeout.ms", "2000");

    private static final String ORDER = """
            {
              "customerId": "customer-1",
              "lines": [{"sku": "BOOK-1", "quantity": 2, "unitPriceMinor": 1999, "currency": "EUR"}],
              "shippingAddress": {
                "name": "Ada Lovelace", "street": "12 St James Square", "city": "London", "postalCode": "SW1Y 4JH", "country": "GB"
              }
            }
            """;

    private final LocalServers.Temporary temporary;
    private final Deque<ServiceProcess> running = new ArrayDeque<>();
    private final int ordersPort = LocalServers.portOrFree(0);
    private final int ordersManagementPort = LocalServers.portOrFree(0);
    private final int otherOrdersPort = LocalServers.portOrFree(0);
    private final int otherOrdersManagementPort = LocalServers.portOrFree(0);
    private final int shippingPort = LocalServers.portOrFree(0);
    private final int shippingManagementPort = LocalServers.portOrFree(0);

    TestSystem() throws Exception {
        this(LocalKafka::start);
    }

    private TestSystem(LocalBroker.Start broker) throws Exception {
        LOGGER.setLevel(Level.WARNING);
        temporary = LocalServers.startTemporary(broker);
    }

    /** With a broker that can be frozen: see {@link #brokerProcess}. */
    static TestSystem withBrokerProcess() throws Exception {
        return new TestSystem((directory, port, controllerPort, topics) -> {
            Path log = Files.createDirectories(directory).resolveSibling("kafka.log");
            LocalKafkaProcess broker =
                    LocalKafkaProcess.start(directory, port, controllerPort, topics, BROKER_JVM, log);
            broker.awaitReady(START_UP);
            return broker;
        });
    }

    /** The broker of {@link #withBrokerProcess}. */
    LocalKafkaProcess brokerProcess() {
        return (LocalKafkaProcess) servers().kafka();
    }

    LocalServers servers() {
        return temporary.servers();
    }

    Database ordersDatabase() {
        return database(LocalServers.ORDERS);
    }

    Database shippingDatabase() {
        return database(LocalServers.SHIPPING);
    }

    private Database database(String name) {
        return new Database(servers().postgres().jdbcUrl(name), LocalPostgres.USER, LocalPostgres.USER);
    }

    TopicReader topics() {
        return new TopicReader(servers().kafka().bootstrapServers());
    }

    ServiceProcess startOrders() throws Exception {
        return startOrders("order-service", ordersPort, ordersManagementPort);
    }

    /** A second process of order-service on the same database. What this class asks order-service, it asks the first. */
    ServiceProcess startOtherOrders() throws Exception {
        return startOrders("other-order-service", otherOrdersPort, otherOrdersManagementPort);
    }

    private ServiceProcess startOrders(String name, int port, int managementPort) throws Exception {
        Map<String, String> settings = new HashMap<>(servers().serviceSettings(LocalServers.ORDERS));
        settings.putAll(SHORT_TIMEOUTS);
        ServiceProcess service = launch(name, "order-service", port, managementPort, settings);
        service.awaitReady(START_UP);
        return service;
    }

    ServiceProcess startShipping() throws Exception {
        Map<String, String> settings = new HashMap<>(servers().serviceSettings(LocalServers.SHIPPING));
        // How long the group waits for a killed member.
        settings.put("kafka.session.timeout.ms", "6000");
        ServiceProcess service =
                launch("shipping-consumer", "shipping-consumer", shippingPort, shippingManagementPort, settings);
        service.awaitReady(START_UP);
        return service;
    }

    private ServiceProcess launch(
            String name, String module, int port, int managementPort, Map<String, String> settings) throws IOException {
        ServiceProcess service = ServiceProcess.start(new ServiceProcess.Spec(
                name,
                ROOT.resolve(module).resolve("target/quarkus-app/quarkus-run.jar"),
                port,
                managementPort,
                ServiceProcess.SMALL_JVM,
                settings,
                temporary.directory().resolve(name + ".log")));
        running.push(service);
        return service;
    }

    /** Places an order and gives back its id. */
    String placeOrder() {
        return tryToPlaceOrder().then().statusCode(201).extract().path("id");
    }

    Response tryToPlaceOrder() {
        return given().port(ordersPort)
                .contentType(ContentType.JSON)
                .body(ORDER)
                .post("/orders");
    }

    Response cancelOrder(String id) {
        return given().port(ordersPort).post("/orders/{id}/cancel", id);
    }

    Response shipTo(String id, String street) {
        String address = """
                {"name": "Ada Lovelace", "street": "%s", "city": "London", "postalCode": "SW1Y 4JH", "country": "GB"}
                """.formatted(street);
        return given().port(ordersPort)
                .contentType(ContentType.JSON)
                .body(address)
                .put("/orders/{id}/shipping-address", id);
    }

    Response shipment(String orderId) {
        return given().port(shippingPort).get("/shipments/{id}", orderId);
    }

    Response dispatch(String orderId) {
        return given().port(shippingPort).post("/shipments/{id}/dispatch", orderId);
    }

    Response ordersManagement(String path) {
        return given().port(ordersManagementPort).get(path);
    }

    Response shippingManagement(String path) {
        return given().port(shippingManagementPort).get(path);
    }

    /** The records of one order, in the order of its partition. */
    List<ConsumerRecord<String, String>> records(String orderId) {
        return topics().read(LocalServers.TOPIC).stream()
                .filter(record -> orderId.equals(record.key()))
                .toList();
    }

    @Override
    public void close() throws IOException {
        running.forEach(ServiceProcess::close);
        temporary.close();
    }
}
