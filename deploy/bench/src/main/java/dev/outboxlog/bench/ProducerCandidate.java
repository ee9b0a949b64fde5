package dev.outboxlog.bench;

import java.util.List;

/** The limit: {@link RawProducer}. */
record ProducerCandidate(Testbed testbed) implements Candidate {

    /** Room for all payloads. The optimising compiler helps a program that does nothing but send. */
    private static final List<String> JVM = List.of("-Xms1g", "-Xmx3g", "-XX:+UseSerialGC");

    @Override
    public String name() {
        return "producer";
    }

    @Override
    public String prepare(Workload workload) {
        return Databases.MAINTENANCE;
    }

    @Override
    public List<Child> start(String database, Workload workload) throws Exception {
        List<String> arguments = new java.util.ArrayList<>(List.of(testbed.bootstrapServers()));
        arguments.addAll(workload.arguments());
        return List.of(testbed.java(name(), JVM, RawProducer.class, arguments));
    }
}
