package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.local.LocalServers;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README tells a new user to do works. */
class ReadmeIT {

    private static final Path ROOT = Path.of(System.getProperty("project.root"));

    @TempDir
    private Path directory;

    private int ordersPort;
    private int shippingPort;
    private Process system;

    @AfterEach
    void stop() throws Exception {
        if (system != null && system.isAlive()) {
            system.destroy();
            system.waitFor(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void itsCommandsBringAnOrderFromCurlToAShipmentThatOutlivesTheSystem() throws Exception {
        assumeThat(isOnPath("bash") && isOnPath("curl"))
                .as("bash and curl are here")
                .isTrue();
        // Given
        ordersPort = LocalServers.portOrFree(0);
        shippingPort = LocalServers.portOrFree(0);
        List<String> commands = commands();
        assertThat(commands).hasSizeGreaterThan(2);
        startSystem();
        // When
        String placed = shell(commands.get(0));
        // Then
        assertThat(placed).startsWith("HTTP/1.1 201 Created");
        Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(placed);
        assertThat(id.find()).isTrue();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(shell(commands.get(1))).contains(id.group(1)));
        // And what operators are told to ask is answered
        assertThat(commands.subList(2, commands.size()))
                .allSatisfy(command -> assertThat(shell(command))
                        .startsWith("{")
                        .doesNotContain("urn:outboxlog:problem", "\"status\":4", "\"status\":5"));
        // When
        interrupt();
        // Then
        assertNothingListens(ordersPort);
        assertNothingListens(shippingPort);
        // When
        startSystem();
        // Then
        assertThat(shell(commands.get(1))).contains(id.group(1));
        interrupt();
    }

    private List<String> commands() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        return Pattern.compile("(?s)```sh\n(curl .*?)\n```")
                .matcher(readme)
                .results()
                .map(command -> command.group(1)
                        .replace("localhost:8080", "localhost:" + ordersPort)
                        .replace("localhost:8081", "localhost:" + shippingPort))
                .toList();
    }

    private void startSystem() throws Exception {
        Path output = directory.resolve("output.txt");
        system = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        ROOT.resolve("deploy/local/target/local-run.jar").toString(),
                        "--data",
                        directory.resolve("data").toString(),
                        "--orders-port",
                        Integer.toString(ordersPort),
                        "--shipping-port",
                        Integer.toString(shippingPort),
                        "--postgres-port",
                        "0",
                        "--kafka-port",
                        "0")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        await().atMost(Duration.ofSeconds(120)).untilAsserted(() -> {
            String printed = Files.readString(output);
            assertThat(system.isAlive()).as(printed).isTrue();
            assertThat(printed).contains("curl -si http://localhost:" + ordersPort, "Ctrl-C stops everything.");
        });
    }

    /** What Ctrl-C does to a program. */
    private void interrupt() throws Exception {
        new ProcessBuilder("kill", "-INT", Long.toString(system.pid())).start().waitFor();
        assertThat(system.waitFor(90, TimeUnit.SECONDS)).as("stopped in time").isTrue();
    }

    private static void assertNothingListens(int port) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            throw new AssertionError("something still listens on " + socket.getPort());
        } catch (ConnectException e) {
            // as it should be
        }
    }

    private static String shell(String command) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        process.waitFor();
        return output;
    }

    private static boolean isOnPath(String program) throws InterruptedException {
        try {
            return new ProcessBuilder(program, "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
