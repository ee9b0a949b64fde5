package dev.outboxlog.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether the relay is as fast at the end of a long backlog as at its beginning, in the memory that it was given. */
final class LongBacklog implements Measurement {

    private static final int SLICE = 100_000;

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public String question() {
        return "Does the relay keep its speed over a long backlog, in a heap of 256 MiB?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 1_000_000, "events of the backlog"),
                Setting.number("aggregates", 1000, "they belong to so many aggregates, in turn"),
                Setting.number("rounds", 1, "it is measured so often"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        int events = arguments.number("events");
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            Candidate relay = new RelayCandidate(testbed, Jvms.of(arguments));
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                Workload workload = new Workload("backlog-" + round, events, arguments.number("aggregates"));
                Drainage.Outcome outcome = drainage.run(relay, workload);
                report.add(Row.of(round, "part", "all").with(outcome.columns()));
                double[] rates = outcome.received().rates(Math.max(1, events / SLICE));
                for (int part = 0; part < rates.length; part++) {
                    Map<String, Double> column = new LinkedHashMap<>();
                    column.put("events/s", rates[part]);
                    report.add(Row.of(round, "part", Integer.toString(part + 1)).with(column));
                }
            }
        }
        report.note("Parts are of about " + SLICE + " events each, in order of arrival.");
    }
}
