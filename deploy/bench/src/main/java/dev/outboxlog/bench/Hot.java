package dev.outboxlog.bench;

import java.util.List;
import java.util.Map;

/** How fast events leave that may not overtake each other. */
final class Hot implements Measurement {

    @Override
    public String name() {
        return "hot";
    }

    @Override
    public String question() {
        return "How fast do events of few aggregates leave, each of which waits for the one before it?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 20_000, "events of the backlog"),
                Setting.numbers("aggregates", "1,20", "they belong to so many aggregates, one run for each"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            Candidate relay = new RelayCandidate(testbed, Jvms.of(arguments));
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (int aggregates : arguments.numbers("aggregates")) {
                    Workload workload = new Workload(
                            "hot-%d-%d".formatted(aggregates, round), arguments.number("events"), aggregates);
                    report.add(
                            Row.of(round, "aggregates", aggregates),
                            () -> drainage.run(relay, workload).columns());
                }
            }
        }
    }
}
