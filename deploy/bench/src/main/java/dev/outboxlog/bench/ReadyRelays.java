package dev.outboxlog.bench;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Several packaged order-services that begin together once all of them are ready. The starts of four JVMs on two cores would else be most of
 * what is measured.
 */
record ReadyRelays(Testbed testbed, List<String> jvm, int processes) implements Candidate {

    @Override
    public String name() {
        return "relay";
    }

    /** Leases every lane to somebody who does nothing. */
    @Override
    public String prepare(Workload workload) throws Exception {
        String database = new RelayCandidate(testbed, jvm).prepare(workload);
        try (Connection connection = testbed.connect(database)) {
            Sql.execute(connection, "UPDATE outbox_lane SET owner = 'bench', locked_until = now() + interval '1 hour'");
        }
        return database;
    }

    @Override
    public List<Child> start(String database, Workload workload) throws Exception {
        List<Service> services = new ArrayList<>();
        Map<String, String> settings = testbed.serviceSettings(database);
        for (int i = 0; i < processes; i++) {
            services.add(testbed.service("order-service", jvm, settings));
        }
        for (Service service : services) {
            service.ready();
        }
        try (Connection connection = testbed.connect(database)) {
            Sql.execute(connection, "UPDATE outbox_lane SET owner = NULL, locked_until = NULL");
        }
        return services.stream().map(Service::child).toList();
    }
}
