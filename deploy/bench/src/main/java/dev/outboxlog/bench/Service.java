package dev.outboxlog.bench;

import dev.outboxlog.local.ServiceProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * A running packaged service.
 *
 * @param child its process
 * @param process the same, as the local system knows it
 * @param managementPort where its metrics are
 */
record Service(Child child, ServiceProcess process, int managementPort) implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    Service ready() throws InterruptedException, TimeoutException, IOException {
        process.awaitReady(Testbed.START_UP);
        return this;
    }

    int port() {
        return process.port();
    }

    /**
     * A counter's value as the service tells it, 0 where it does not know the counter.
     *
     * @param series name and labels, as Prometheus writes them
     */
    double metric(String series) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + "/q/metrics"))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() {
        child.close();
    }
}
