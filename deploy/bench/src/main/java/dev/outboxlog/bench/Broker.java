package dev.outboxlog.bench;

import dev.outboxlog.local.LocalKafka;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A broker in a JVM of its own. */
public final class Broker {

    /** What it prints when it can be used. */
    static final String READY = "READY";

    private Broker() {}

    /** Arguments: directory, port, controller's port. Runs until it is told to stop or its parent has gone. */
    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        Lifeline.endWithParent();
        LocalKafka kafka = LocalKafka.start(
                Path.of(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), List.of());
        Runtime.getRuntime().addShutdownHook(new Thread(kafka::close, "stop"));
        System.out.println(READY);
    }
}
