package dev.outboxlog.bench;

import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One command for each question. Every measurement starts its own servers and leaves nothing behind. */
public final class Bench {

    private static final String USAGE = """
            usage: java -jar deploy/bench/target/bench.jar MEASUREMENT [--setting value]…

              drain     how fast the relay moves a backlog to Kafka, beside a bare producer in the same run
                        --events 200000  --aggregates 1000  --rounds 3
              visible   how long it takes from POST /orders until GET /shipments/{id} finds the shipment, one order at a time
                        --orders 500  --warmup 500
            """;

    private Bench() {}

    /** See {@code --help}. Exit codes: 0 measured, 1 something went wrong, 2 wrong arguments. */
    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        List<String> given = List.of(arguments);
        if (given.isEmpty() || given.contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            List<String> settings = given.subList(1, given.size());
            switch (given.get(0)) {
                case "drain" -> new Drain(new Arguments(settings, Set.of("events", "aggregates", "rounds"))).run();
                case "visible" -> new Visible(new Arguments(settings, Set.of("orders", "warmup"))).run();
                default -> throw new IllegalArgumentException("there is no measurement '" + given.get(0) + "'");
            }
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            System.exit(2);
        }
        // Embedded servers leave threads of their own.
        System.exit(0);
    }
}
