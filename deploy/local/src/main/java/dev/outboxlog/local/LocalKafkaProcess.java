package dev.outboxlog.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A {@link LocalKafka} in a JVM of its own, started with this JVM's Java and class path: what it takes can be told apart from what others take,
 * and it can be frozen. Ends with the JVM that has started it, however that ends.
 */
public final class LocalKafkaProcess implements LocalBroker {

    private static final String READY = "READY";
    private static final Duration GRACE = Duration.ofSeconds(15);
    private static final int TAIL = 20;

    private final Process process;
    private final String bootstrapServers;
    private final Path log;
    private volatile boolean frozen;

    private LocalKafkaProcess(Process process, String bootstrapServers, Path log) {
        this.process = process;
        this.bootstrapServers = bootstrapServers;
        this.log = log;
    }

    /**
     * Starts the process; {@link #awaitReady} tells when the broker can be used.
     *
     * @param directory where the broker's log and settings live; what an earlier broker left there is kept
     * @param port the clients' port
     * @param controllerPort the port on which the node talks to itself
     * @param topics the topics that must exist
     * @param jvmArguments for the broker's JVM
     * @param log where what it prints goes; an older file is overwritten
     */
    public static LocalKafkaProcess start(
            Path directory, int port, int controllerPort, List<String> topics, List<String> jvmArguments, Path log)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LocalKafkaProcess.class.getName()));
        command.addAll(List.of(directory.toString(), Integer.toString(port), Integer.toString(controllerPort)));
        command.addAll(topics);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new LocalKafkaProcess(process, "127.0.0.1:" + port, log);
    }

    /** The process: directory, port, controller's port, topics. Runs until it is told to stop or its parent has gone. */
    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        Lifeline.endWithParent();
        LocalKafka kafka = LocalKafka.start(
                Path.of(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                List.of(arguments).subList(3, arguments.length));
        Runtime.getRuntime().addShutdownHook(new Thread(kafka::close, "stop"));
        System.out.println(READY);
    }

    /**
     * Waits until the broker can be used and has its topics.
     *
     * @throws TimeoutException if it cannot in time; it goes on running
     * @throws IllegalStateException if it ended instead
     */
    public void awaitReady(Duration atMost) throws IOException, InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!Files.readAllLines(log).contains(READY)) {
            if (!process.isAlive()) {
                throw new IllegalStateException("kafka ended with exit code " + process.exitValue() + "\n" + tail());
            }
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("kafka was not ready after " + atMost + "\n" + tail());
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private String tail() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    }

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /** The operating system's process. */
    public Process process() {
        return process;
    }

    /** Stops it in mid-air (SIGSTOP): clients can still connect, and nobody answers them. */
    public void freeze() throws IOException, InterruptedException {
        Processes.freeze(process);
        frozen = true;
    }

    /** Lets it go on (SIGCONT) as if no time had passed. */
    public void thaw() throws IOException, InterruptedException {
        Processes.thaw(process);
        frozen = false;
    }

    /** Thaws it if need be, and stops it in an orderly way. */
    @Override
    public void close() {
        try {
            if (frozen && process.isAlive()) {
                thaw();
            }
        } catch (IOException e) {
            System.err.println("While stopping Kafka: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Processes.end(process, GRACE);
    }
}
