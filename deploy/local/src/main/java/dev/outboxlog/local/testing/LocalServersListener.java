package dev.outboxlog.local.testing;

import dev.outboxlog.local.LocalServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Starts PostgreSQL and Kafka once for all tests of a module, before Quarkus augments the application, and tells the application
 * where they are by system properties. A module registers its own subclass in
 * {@code META-INF/services/org.junit.platform.launcher.LauncherSessionListener} of its test resources.
 */
public abstract class LocalServersListener implements LauncherSessionListener {

    /** What the servers say at INFO would bury what a test says. Kept, because a logger that nobody holds forgets its level. */
    private static final List<Logger> QUIET = Stream.of(
                    "org.apache.kafka", "kafka", "state.change.logger", "io.zonky.test")
            .map(Logger::getLogger)
            .toList();

    private final String database;
    private LocalServers.Temporary temporary;

    /**
     * @param database the database that the module under test uses
     */
    protected LocalServersListener(String database) {
        this.database = database;
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        QUIET.forEach(logger -> logger.setLevel(Level.WARNING));
        try {
            temporary = LocalServers.startTemporary();
        } catch (Exception e) {
            throw new IllegalStateException("the servers for the tests did not start", e);
        }
        temporary.servers().serviceSettings(database).forEach(System::setProperty);
        // For a test run that is interrupted; where it ends in the ordinary way there is nothing left to stop.
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "stop-local-servers"));
    }

    @Override
    public void launcherSessionClosed(LauncherSession session) {
        stop();
    }

    private synchronized void stop() {
        if (temporary == null) {
            return;
        }
        LocalServers.Temporary stopping = temporary;
        temporary = null;
        try {
            stopping.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
