package dev.outboxlog.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long it takes until a client that has placed an order sees its shipment: from sending {@code POST /orders} to the first
 * {@code GET /shipments/{id}} that finds it, one order at a time on an otherwise idle system.
 */
final class Visible implements Measurement {

    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newHttpClient();

    @Override
    public String name() {
        return "visible";
    }

    @Override
    public String question() {
        return "How long from POST /orders until GET /shipments/{id} finds the shipment, one order at a time?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("orders", 500, "orders that are measured"),
                Setting.number("warmup", 500, "orders before them"),
                Setting.number("rounds", 3, "it is measured so often"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        List<String> jvm = Jvms.of(arguments);
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            testbed.createTopic("orders");
            try (Service order = testbed.service(
                            "order-service",
                            jvm,
                            testbed.serviceSettings(testbed.databases().orders()));
                    Service shipping = testbed.service(
                            "shipping-consumer",
                            jvm,
                            testbed.serviceSettings(testbed.databases().shipping()))) {
                order.ready();
                shipping.ready();
                for (int i = 0; i < arguments.number("warmup"); i++) {
                    microsUntilVisible(order.port(), shipping.port());
                }
                for (int round = 1; round <= arguments.number("rounds"); round++) {
                    Delays delays = new Delays();
                    for (int i = 0; i < arguments.number("orders"); i++) {
                        delays.add(microsUntilVisible(order.port(), shipping.port()));
                    }
                    report.add(Row.of(round, "what", "visible").with(delays.columns()));
                }
            }
        }
    }

    private long microsUntilVisible(int ordersPort, int shippingPort) throws Exception {
        long start = System.nanoTime();
        HttpResponse<String> placed = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ordersPort + "/orders"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(Orders.json(1)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        Matcher id = ID.matcher(placed.body());
        if (placed.statusCode() != 201 || !id.find()) {
            throw new IllegalStateException("an order was answered with " + placed.statusCode() + " " + placed.body());
        }
        HttpRequest look = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + shippingPort + "/shipments/" + id.group(1)))
                .build();
        while (http.send(look, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException("order " + id.group(1) + " has no shipment after 30 s");
            }
        }
        return (System.nanoTime() - start) / 1000;
    }
}
