package dev.outboxlog.bench;

import dev.outboxlog.local.LocalServers;
import dev.outboxlog.local.ServiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Starts the packaged services. */
final class Services {

    static final Duration START_UP = Duration.ofSeconds(90);

    private final Path logs;

    /**
     * @param logs where the services' logs go
     */
    Services(Path logs) {
        this.logs = logs;
    }

    /**
     * Starts a service on free ports, with a heap of 256 MiB.
     */
    ServiceProcess start(String name, Map<String, String> settings) throws IOException {
        return ServiceProcess.start(new ServiceProcess.Spec(
                name,
                ServiceProcess.packaged(name),
                LocalServers.portOrFree(0),
                LocalServers.portOrFree(0),
                ServiceProcess.SMALL_JVM,
                settings,
                logs.resolve(name + ".log")));
    }
}
