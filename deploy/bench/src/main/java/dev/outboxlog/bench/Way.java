package dev.outboxlog.bench;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;

/** A way from a commit to Kafka, started on a fresh database and ready for events. */
interface Way {

    int AGGREGATES = 1000;
    int SQL_CONNECTIONS = 4;
    /** More than for SQL: an answer takes longer than a statement, and a fixed rate needs somebody who is free. */
    int HTTP_CONNECTIONS = 16;

    /**
     * What is running.
     *
     * @param numberOf an event's number, from its payload
     */
    record Running(String database, List<Child> children, Load load, int connections, ToIntFunction<byte[]> numberOf)
            implements AutoCloseable {
        @Override
        public void close() throws Exception {
            load.close();
            children.forEach(Child::close);
        }
    }

    Running start(String topic) throws Exception;

    /** Orders placed at order-service, whose relay is told of each commit. */
    static Way placed(Testbed testbed, List<String> jvm) {
        return topic -> {
            String database = testbed.databases().orders();
            Service service = orderService(testbed, database, jvm, topic);
            return new Running(
                    database,
                    List.of(service.child()),
                    Load.http(service.port(), HTTP_CONNECTIONS),
                    HTTP_CONNECTIONS,
                    Orders::number);
        };
    }

    /** Events inserted by others, which order-service's relay finds when it looks. */
    static Way polled(Testbed testbed, List<String> jvm) {
        return topic -> {
            String database = testbed.databases().orders();
            Service service = orderService(testbed, database, jvm, topic);
            return new Running(
                    database,
                    List.of(service.child()),
                    Load.sql(testbed, database, topic, AGGREGATES, SQL_CONNECTIONS),
                    SQL_CONNECTIONS,
                    Payloads::number);
        };
    }

    /** Events inserted by others, which Debezium reads from the write-ahead log. */
    static Way debezium(Testbed testbed) {
        return topic -> {
            DebeziumCandidate debezium = new DebeziumCandidate(testbed, Producers.NO_LINGER);
            String database = debezium.prepareEmpty();
            List<Child> children = debezium.start(database, new Workload(topic, 1, AGGREGATES));
            awaitSlot(testbed, database, children.get(0));
            return new Running(
                    database,
                    children,
                    Load.sql(testbed, database, topic, AGGREGATES, SQL_CONNECTIONS),
                    SQL_CONNECTIONS,
                    Payloads::number);
        };
    }

    private static Service orderService(Testbed testbed, String database, List<String> jvm, String topic)
            throws Exception {
        Map<String, String> settings = testbed.serviceSettings(database);
        settings.put("orders.topic", topic);
        return testbed.service("order-service", jvm, settings).ready();
    }

    private static void awaitSlot(Testbed testbed, String database, Child debezium) throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        try (Connection connection = testbed.connect(database)) {
            while (Sql.number(
                            connection,
                            "SELECT count(*) FROM pg_replication_slots WHERE active AND database = current_database()")
                    == 0) {
                debezium.requireAlive();
                if (System.nanoTime() > deadline) {
                    throw new TimeoutException("Debezium did not begin to read within a minute\n" + debezium.tail());
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }
}
