package dev.outboxlog.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU seconds at a moment, or between two.
 *
 * @param nanos the moment, or the time between
 * @param candidate of the processes that are measured
 * @param postgres of all processes of PostgreSQL
 * @param broker of Kafka
 * @param bench of this process
 * @param machine of everything on this machine, with what a host has kept from it
 */
record Usage(long nanos, double candidate, double postgres, double broker, double bench, double machine) {

    static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0);

    /** What has been used up to now. */
    static Usage now(Testbed testbed, List<Child> candidates) {
        return new Usage(
                System.nanoTime(),
                candidates.stream()
                        .mapToDouble(child -> Proc.cpuSeconds(child.pid()))
                        .sum(),
                Proc.cpuSecondsOfFamily(testbed.postgresPid()),
                Proc.cpuSeconds(testbed.brokerPid()),
                Proc.cpuSeconds(ProcessHandle.current().pid()),
                Proc.cpuSecondsOfMachine());
    }

    Usage since(Usage before) {
        return new Usage(
                nanos - before.nanos,
                candidate - before.candidate,
                postgres - before.postgres,
                broker - before.broker,
                bench - before.bench,
                machine - before.machine);
    }

    /** How much of the machine went to what has nothing to do with the measurement: numbers from a busy machine are worth less. */
    double othersPercent() {
        double seconds = nanos / 1e9 * Runtime.getRuntime().availableProcessors();
        double others = machine - candidate - postgres - broker - bench;
        return seconds <= 0 ? 0 : Math.max(0, others * 100 / seconds);
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
