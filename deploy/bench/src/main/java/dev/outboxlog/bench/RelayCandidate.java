package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The packaged order-service.
 *
 * @param processes how many of it work on the same database
 */
record RelayCandidate(Testbed testbed, List<String> jvm, int processes) implements Candidate {

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
        List<Child> children = new ArrayList<>();
        Map<String, String> settings = testbed.serviceSettings(database);
        for (int i = 0; i < processes; i++) {
            children.add(testbed.service("order-service", jvm, settings).child());
        }
        return children;
    }
}
