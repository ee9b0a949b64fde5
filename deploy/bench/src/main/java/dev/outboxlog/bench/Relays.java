package dev.outboxlog.bench;

import java.util.List;
import java.util.Map;

/** Whether more relays deliver more, and each event once. */
final class Relays implements Measurement {

    @Override
    public String name() {
        return "relays";
    }

    @Override
    public String question() {
        return "What do several replicas of order-service make of the same backlog? Copies must be 0.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("events", 200_000, "events of the backlog"),
                Setting.number("aggregates", 1000, "they belong to so many aggregates, in turn"),
                Setting.numbers("processes", "1,2,4", "so many replicas, one run for each"),
                Setting.number("rounds", 3, "each runs so often, in turns"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        List<Integer> processes = arguments.numbers("processes");
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            Drainage drainage = Drainage.warm(testbed);
            for (int round = 1; round <= arguments.number("rounds"); round++) {
                for (int count : processes) {
                    Workload workload = new Workload(
                            "relays-%d-%d".formatted(count, round),
                            arguments.number("events"),
                            arguments.number("aggregates"));
                    Candidate relays = new ReadyRelays(testbed, Jvms.of(arguments), count);
                    report.add(
                            Row.of(round, "processes", count),
                            () -> drainage.run(relays, workload).columns());
                }
            }
        }
        report.compare("events/s", "processes", processes.get(0).toString());
        report.note(
                "All replicas are ready before the first begins, and share this machine's cores with PostgreSQL, Kafka and the receiver. MiB is that of the"
                        + " largest one.");
    }
}
