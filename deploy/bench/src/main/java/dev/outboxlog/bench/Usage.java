package dev.outboxlog.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU seconds.
 *
 * @param candidate of the processes that are measured
 * @param postgres of all processes of PostgreSQL
 * @param broker of Kafka
 */
record Usage(double candidate, double postgres, double broker) {

    static final Usage NONE = new Usage(0, 0, 0);

    /** What has been used up to now. */
    static Usage now(Testbed testbed, List<Child> candidates) {
        return new Usage(
                candidates.stream()
                        .mapToDouble(child -> Proc.cpuSeconds(child.pid()))
                        .sum(),
                Proc.cpuSecondsOfFamily(testbed.postgresPid()),
                Proc.cpuSeconds(testbed.brokerPid()));
    }

    Usage since(Usage before) {
        return new Usage(candidate - before.candidate, postgres - before.postgres, broker - before.broker);
    }

    /** As columns of a report, for each 100 000 of something. */
    Map<String, Double> per100k(int count) {
        double hundredThousands = count / 100_000.0;
        Map<String, Double> columns = new LinkedHashMap<>();
        columns.put("cpu s/100k", candidate / hundredThousands);
        columns.put("pg cpu s/100k", postgres / hundredThousands);
        columns.put("kafka cpu s/100k", broker / hundredThousands);
        return columns;
    }
}
