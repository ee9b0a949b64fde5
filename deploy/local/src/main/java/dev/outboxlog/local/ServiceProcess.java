package dev.outboxlog.local;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One packaged Quarkus service as a process of its own, started with this JVM's Java. */
public final class ServiceProcess implements AutoCloseable {

    /**
     * How a service is started where nothing else is asked for: a small heap, the collector that suits it, and only the quick compiler. With two
     * cores the optimising compiler takes more from a service that mostly waits for others than it gives back within minutes.
     */
    public static final List<String> SMALL_JVM = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** Longer than a service takes to finish what is in hand after SIGTERM. */
    private static final Duration GRACE = Duration.ofSeconds(40);

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final String name;
    private final Process process;
    private final int port;
    private final Path log;
    private final URI readiness;
    private volatile boolean frozen;

    private ServiceProcess(String name, Process process, int port, Path log, URI readiness) {
        this.name = name;
        this.process = process;
        this.port = port;
        this.log = log;
        this.readiness = readiness;
    }

    /**
     * Where the build leaves a packaged service.
     *
     * @param name the service's module
     */
    public static Path packaged(String name) {
        return projectRoot().resolve(name).resolve("target/quarkus-app/quarkus-run.jar");
    }

    /** The folder with the modules: above this class, wherever in the project its jar lies. */
    private static Path projectRoot() {
        try {
            Path place = Path.of(ServiceProcess.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            while (place != null && !Files.isDirectory(place.resolve("order-service"))) {
                place = place.getParent();
            }
            if (place == null) {
                throw new IllegalStateException(
                        "the packaged services are not found: this program was moved out of the project");
            }
            return place;
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of this program is unknown", e);
        }
    }

    /** How to start a service. */
    public record Spec(
            String name,
            Path jar,
            int port,
            int managementPort,
            List<String> jvmArguments,
            Map<String, String> settings,
            Path log) {

        public Spec {
            if (!Files.isRegularFile(jar)) {
                throw new IllegalArgumentException(
                        name + " is not packaged: there is no " + jar + ". Run: mvn package -DskipTests");
            }
        }
    }

    /** Starts the service; {@link #awaitReady} tells when it can be used. What it prints goes to the log file. */
    public static ServiceProcess start(Spec spec) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(spec.jvmArguments());
        Map<String, String> settings = new TreeMap<>(spec.settings());
        settings.put("quarkus.http.port", Integer.toString(spec.port()));
        settings.put("quarkus.management.port", Integer.toString(spec.managementPort()));
        settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.add("-jar");
        command.add(spec.jar().toString());
        Files.createDirectories(spec.log().toAbsolutePath().getParent());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(spec.log().toFile()))
                .start();
        URI readiness = URI.create("http://127.0.0.1:" + spec.managementPort() + "/q/health/ready");
        return new ServiceProcess(spec.name(), process, spec.port(), spec.log(), readiness);
    }

    /**
     * Waits until the service says that it is ready.
     *
     * @throws TimeoutException if it does not in time; it goes on running
     * @throws IllegalStateException if it ended instead
     */
    public void awaitReady(Duration atMost) throws InterruptedException, TimeoutException, IOException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!isReady()) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        name + " ended with exit code " + process.exitValue() + "; see " + log + "\n" + tail());
            }
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(name + " was not ready after " + atMost + "; see " + log + "\n" + tail());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private boolean isReady() throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(readiness)
                    .timeout(Duration.ofSeconds(2))
                    .build();
            return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private String tail() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    }

    /** The service's name. */
    public String name() {
        return name;
    }

    /** The port of its HTTP API. */
    public int port() {
        return port;
    }

    /** The operating system's process, for signals and for waiting. */
    public Process process() {
        return process;
    }

    /** Ends the service at once, as a crash or {@code kill -9} does: it finishes nothing. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Stops it in mid-air (SIGSTOP), as a paused virtual machine does: it keeps its connections and what it has in its memory. */
    public void freeze() throws IOException, InterruptedException {
        Processes.freeze(process);
        frozen = true;
    }

    /** Lets it go on (SIGCONT) as if no time had passed. */
    public void thaw() throws IOException, InterruptedException {
        Processes.thaw(process);
        frozen = false;
    }

    /** Asks the service to stop (SIGTERM) and waits; one that is frozen is killed, and so is one that does not stop within its grace time is killed. */
    @Override
    public void close() {
        if (frozen) {
            process.destroyForcibly();
        }
        process.destroy();
        try {
            if (!process.waitFor(GRACE.toSeconds(), TimeUnit.SECONDS)) {
                System.err.println(name + " did not stop within " + GRACE.toSeconds() + " s and is killed; see " + log);
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
