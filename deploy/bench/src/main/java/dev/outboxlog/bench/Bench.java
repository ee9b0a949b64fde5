package dev.outboxlog.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One command for each question. Every measurement starts its own servers and leaves nothing behind. */
public final class Bench {

    private static final List<Measurement> MEASUREMENTS = List.of(
            new Drain(),
            new Latency(),
            new Hot(),
            new Relays(),
            new LongBacklog(),
            new WritePath(),
            new Inbox(),
            new Delivered(),
            new OldSnapshot(),
            new Freeze(),
            new Poison(),
            new Idle(),
            new Visible());

    /** Held, or its level is forgotten. Clients warn of topics that are a moment old. */
    private static final Logger KAFKA_LOG = Logger.getLogger("org.apache.kafka");

    private static final String CHARTS = "charts";
    private static final Setting CHARTS_DIRECTORY =
            Setting.path("directory", Results.DIRECTORY.toString(), "where the results are and the pictures go");

    private Bench() {}

    /** See {@code --help}. Exit codes: 0 measured, 1 something went wrong, 2 wrong arguments. */
    public static void main(String[] arguments) {
        Logger.getLogger("").setLevel(Level.WARNING);
        KAFKA_LOG.setLevel(Level.SEVERE);
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> arguments) {
        if (arguments.isEmpty() || arguments.contains("--help")) {
            System.out.print(usage());
            return 0;
        }
        try {
            measure(arguments);
            return 0;
        } catch (WrongArguments e) {
            System.err.println(e.getMessage());
            System.err.println("--help lists all measurements and their settings");
            return 2;
        } catch (Exception e) {
            if (!Testbed.interrupted()) {
                System.err.println("The measurement failed.");
                e.printStackTrace();
            }
            return 1;
        }
    }

    private static void measure(List<String> arguments) throws Exception {
        if (arguments.get(0).equals(CHARTS)) {
            Arguments given = new Arguments(arguments.subList(1, arguments.size()), List.of(CHARTS_DIRECTORY));
            Path directory = Path.of(given.text(CHARTS_DIRECTORY.name()));
            List<Path> drawn = new Charts(directory).draw();
            System.out.println(drawn.isEmpty() ? "there are no results to draw in " + directory : "drawn: " + drawn);
            return;
        }
        Measurement measurement = MEASUREMENTS.stream()
                .filter(known -> known.name().equals(arguments.get(0)))
                .findFirst()
                .orElseThrow(() -> new WrongArguments(
                        "there is no '%s'; there are %s, %s".formatted(arguments.get(0), names(), CHARTS)));
        List<Setting> settings = settings(measurement);
        Arguments given = new Arguments(arguments.subList(1, arguments.size()), settings);
        Report report = new Report(measurement.name(), given.all());
        System.out.println(measurement.question() + "\n" + given.all() + "\n");
        measurement.run(given, report);
        report.finish(Path.of(given.text("out")));
        if (report.failures() > 0) {
            throw new IllegalStateException(report.failures() + " runs failed; what they said is above");
        }
    }

    private static String names() {
        return String.join(", ", MEASUREMENTS.stream().map(Measurement::name).toList());
    }

    private static List<Setting> settings(Measurement measurement) {
        List<Setting> settings = new ArrayList<>(measurement.settings());
        settings.add(Setting.path(
                "out", Results.DIRECTORY.resolve(measurement.name() + ".json").toString(), "where the numbers go"));
        return settings;
    }

    private static String usage() {
        StringBuilder usage =
                new StringBuilder("usage: java -jar deploy/bench/target/bench.jar MEASUREMENT [--setting value]…\n");
        for (Measurement measurement : MEASUREMENTS) {
            usage.append("\n  %s: %s\n".formatted(measurement.name(), measurement.question()));
            for (Setting setting : settings(measurement)) {
                usage.append("      --%s %s: %s\n".formatted(setting.name(), setting.otherwise(), setting.meaning()));
            }
        }
        usage.append("\n  %s: draws the results of drain, latency and write as SVG\n".formatted(CHARTS));
        usage.append("      --%s %s: %s\n"
                .formatted(CHARTS_DIRECTORY.name(), CHARTS_DIRECTORY.otherwise(), CHARTS_DIRECTORY.meaning()));
        return usage.toString();
    }
}
