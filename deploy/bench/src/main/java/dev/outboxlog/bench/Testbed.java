package dev.outboxlog.bench;

import dev.outboxlog.local.LocalKafkaProcess;
import dev.outboxlog.local.LocalPostgres;
import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.Processes;
import dev.outboxlog.local.ServiceProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * The servers of one measurement, on free ports of loopback, with data that goes when it is closed: PostgreSQL with its defaults of
 * durability, and a broker in a JVM of its own, so that what it takes is told apart from what others take. Ends everything that it has
 * started, on Ctrl-C as well.
 */
final class Testbed implements AutoCloseable {

    static final Duration START_UP = Duration.ofSeconds(90);
    static final int PARTITIONS = 6;

    private static final List<String> BROKER_JVM = List.of("-Xms512m", "-Xmx1g", "-XX:+UseG1GC");
    private static final Duration GRACE = Duration.ofSeconds(15);
    private static volatile boolean interrupted;

    private final Path directory;
    private final Databases databases = new Databases(this);
    private final Resources resources = new Resources();
    private final Thread hook = new Thread(this::interrupt, "stop");
    private LocalPostgres postgres;
    private LocalKafkaProcess broker;
    private Admin admin;
    private String bootstrapServers;
    private long postgresPid;
    private boolean closed;

    private Testbed(Path directory) {
        this.directory = directory;
    }

    /**
     * Starts both servers.
     *
     * @param postgresSettings parameters of PostgreSQL that the measurement needs besides the usual ones
     */
    static Testbed start(Map<String, String> postgresSettings) throws Exception {
        Testbed testbed = new Testbed(Files.createTempDirectory("outboxlog-bench-"));
        Runtime.getRuntime().addShutdownHook(testbed.hook);
        try {
            testbed.startServers(postgresSettings);
            return testbed;
        } catch (Exception e) {
            testbed.close();
            throw e;
        }
    }

    private void startServers(Map<String, String> postgresSettings) throws Exception {
        Path data = directory.resolve("postgres");
        postgres = resources.add(LocalPostgres.start(data, LocalServers.portOrFree(0), List.of(), postgresSettings));
        postgresPid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
        int port = LocalServers.portOrFree(0);
        broker = resources.add(LocalKafkaProcess.start(
                directory.resolve("kafka"), port, LocalServers.portOrFree(0), List.of(), BROKER_JVM, log("kafka")));
        broker.awaitReady(START_UP);
        bootstrapServers = broker.bootstrapServers();
        admin = resources.add(Admin.create(Map.of("bootstrap.servers", bootstrapServers)));
    }

    /** Whether the user has ended the program: then failures are no news. */
    static boolean interrupted() {
        return interrupted;
    }

    /** Starts a program of this module in a JVM of its own. It is stopped with SIGTERM, and by itself when this process dies. */
    Child java(String name, List<String> jvmArguments, Class<?> program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        Path log = log(name);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return resources.add(new Child(name, process, log, () -> Processes.end(process, GRACE)));
    }

    /** Starts a packaged service on free ports. */
    Service service(String name, List<String> jvmArguments, Map<String, String> settings) throws IOException {
        int managementPort = LocalServers.portOrFree(0);
        Path log = log(name);
        ServiceProcess process = ServiceProcess.start(new ServiceProcess.Spec(
                name,
                ServiceProcess.packaged(name),
                LocalServers.portOrFree(0),
                managementPort,
                jvmArguments,
                settings,
                log));
        Child child = resources.add(new Child(name, process.process(), log, process::close));
        return new Service(child, process, managementPort);
    }

    /** What a service has to be told to use a database of this testbed. */
    Map<String, String> serviceSettings(String database) {
        Map<String, String> settings = new TreeMap<>(postgres.serviceSettings(database));
        settings.put("kafka.bootstrap.servers", bootstrapServers);
        settings.put("quarkus.http.host", "127.0.0.1");
        settings.put("quarkus.management.host", "127.0.0.1");
        return settings;
    }

    private Path log(String name) throws IOException {
        return Files.createTempFile(directory, name + "-", ".log");
    }

    /** What was started, to be told from what a run starts: see {@link Resources#closeSince}. */
    Resources resources() {
        return resources;
    }

    /** Creates a topic with {@value #PARTITIONS} partitions. */
    void createTopic(String topic) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    /** Deletes a topic, so that its records take neither memory nor disk from the next run. */
    void deleteTopic(String topic) throws Exception {
        admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    }

    /** Where the data and logs are. */
    Path directory() {
        return directory;
    }

    Admin admin() {
        return admin;
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    /** Its databases. */
    Databases databases() {
        return databases;
    }

    /** A plain connection as superuser; the caller closes it. */
    Connection connect(String database) throws SQLException {
        return postgres.connect(database);
    }

    String jdbcUrl(String database) {
        return postgres.jdbcUrl(database);
    }

    long postgresPid() {
        return postgresPid;
    }

    /** The broker, for those who want to freeze it. */
    LocalKafkaProcess broker() {
        return broker;
    }

    long brokerPid() {
        return broker.process().pid();
    }

    private void interrupt() {
        interrupted = true;
        close();
    }

    @Override
    public void close() {
        synchronized (resources) {
            if (closed) {
                return;
            }
            closed = true;
        }
        resources.close();
        try {
            LocalServers.delete(directory);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("The temporary folder " + directory + " could not be deleted: " + e.getMessage());
        }
        if (!interrupted) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
