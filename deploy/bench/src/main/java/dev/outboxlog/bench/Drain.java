package dev.outboxlog.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** How fast a backlog leaves, beside others. */
final class Drain implements Measurement {

    private static final List<String> COMPETITORS = List.of("relay", "producer", "debezium", "textbook");

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String question() {
        return "How fast does a backlog reach Kafka: the relay, a bare producer (the limit), Debezium, a relay that takes row by row?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 200_000, "events of the backlog; the textbook relay gets a fiftieth"),
                Setting.number("aggregates", 1000, "they belong to so many aggregates, in turn"),
                Setting.number("rounds", 3, "each competitor runs so often, in turns"),
                Setting.someOf("competitors", COMPETITORS, "who takes part"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        List<String> names = arguments.texts("competitors");
        Map<String, String> wal = names.contains("debezium") ? Map.of("wal_level", "logical") : Map.of();
        try (Testbed testbed = Testbed.start(wal)) {
            Versions.note(report, testbed, names.contains("debezium"));
            List<Candidate> candidates = candidates(testbed, names, Jvms.of(arguments));
            Drainage drainage = Drainage.warm(testbed);
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (Candidate candidate : candidates) {
                    Workload workload = new Workload(
                            candidate.name() + "-" + round,
                            candidate.events(arguments.number("events")),
                            arguments.number("aggregates"));
                    report.add(
                            Row.of(round, "competitor", candidate.name()),
                            () -> drainage.run(candidate, workload).columns());
                }
                // Nobody always runs after the same one.
                Collections.rotate(candidates, 1);
            }
        }
        report.compare("events/s", "competitor", "producer");
        report.note(
                "events/s: from the first record's timestamp to the last one's receipt. CPU: from the first receipt to the last.");
    }

    private static List<Candidate> candidates(Testbed testbed, List<String> names, List<String> jvm) {
        List<Candidate> all = new ArrayList<>(List.of(
                new RelayCandidate(testbed, jvm),
                new ProducerCandidate(testbed),
                new DebeziumCandidate(testbed, Producers.BATCHING_LINGER),
                new TextbookCandidate(testbed)));
        all.removeIf(candidate -> !names.contains(candidate.name()));
        return all;
    }
}
