package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.List;

/** The packaged order-service, started on its backlog: its start and its warm-up are part of what is measured. */
record RelayCandidate(Testbed testbed, List<String> jvm) implements Candidate {

    @Override
    public String name() {
        return "relay";
    }

    @Override
    public String prepare(Workload workload) throws Exception {
        String database = testbed.databases().orders();
        try (Connection connection = testbed.connect(database)) {
            Backlog.insert(connection, workload);
            double pending = Sql.number(connection, "SELECT count(*) FROM outbox WHERE status = 'pending'");
            if (pending != workload.events()) {
                throw new IllegalStateException(
                        "%.0f events are pending, not %d".formatted(pending, workload.events()));
            }
        }
        return database;
    }

    @Override
    public List<Child> start(String database, Workload workload) throws Exception {
        return List.of(testbed.service("order-service", jvm, testbed.serviceSettings(database))
                .child());
    }
}
