package dev.outboxlog.bench;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.ServiceProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long it takes until a client that has placed an order sees its shipment: from sending {@code POST /orders} to the first
 * {@code GET /shipments/{id}} that finds it, one order at a time on an otherwise idle system.
 */
final class Visible {

    private static final String ORDER = """
            {"customerId": "customer-1",
             "lines": [{"sku": "BOOK-1", "quantity": 2, "unitPriceMinor": 1999, "currency": "EUR"}],
             "shippingAddress": {"name": "Ada Lovelace", "street": "12 St James Square", "city": "London", "postalCode": "SW1Y 4JH", "country": "GB"}}
            """;
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    private final int orders;
    private final int warmup;
    private final HttpClient http = HttpClient.newHttpClient();

    Visible(Arguments arguments) {
        orders = arguments.get("orders", 500);
        warmup = arguments.get("warmup", 500);
    }

    void run() throws Exception {
        try (LocalServers.Temporary temporary = LocalServers.startTemporary()) {
            LocalServers servers = temporary.servers();
            Services services = new Services(temporary.directory());
            try (ServiceProcess order = services.start("order-service", servers.serviceSettings(LocalServers.ORDERS));
                    ServiceProcess shipping =
                            services.start("shipping-consumer", servers.serviceSettings(LocalServers.SHIPPING))) {
                order.awaitReady(Services.START_UP);
                shipping.awaitReady(Services.START_UP);
                for (int i = 0; i < warmup; i++) {
                    nanosUntilVisible(order.port(), shipping.port());
                }
                long[] nanos = new long[orders];
                for (int i = 0; i < orders; i++) {
                    nanos[i] = nanosUntilVisible(order.port(), shipping.port());
                }
                Arrays.sort(nanos);
                System.out.printf(
                        "%d orders, POST /orders until GET /shipments/{id} finds it: median %.1f ms, p90 %.1f ms, p99 %.1f ms%n",
                        orders, millis(nanos, 0.5), millis(nanos, 0.9), millis(nanos, 0.99));
            }
        }
    }

    private static double millis(long[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1, sorted.length * quantile)] / 1e6;
    }

    private long nanosUntilVisible(int ordersPort, int shippingPort) throws Exception {
        long start = System.nanoTime();
        HttpResponse<String> placed = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ordersPort + "/orders"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(ORDER))
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
            if (System.nanoTime() - start > Duration.ofSeconds(30).toNanos()) {
                throw new IllegalStateException("order " + id.group(1) + " has no shipment after 30 s");
            }
        }
        return System.nanoTime() - start;
    }
}
