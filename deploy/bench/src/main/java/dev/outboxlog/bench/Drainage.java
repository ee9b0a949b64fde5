package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** One backlog, delivered by one candidate, from the first record's sending to the last one's receipt. */
final class Drainage {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WARM_UPS = 2;
    private static final int WARM_UP_EVENTS = 200_000;
    private static final Duration AFTERMATH = Duration.ofSeconds(1);

    private final Testbed testbed;

    private Drainage(Testbed testbed) {
        this.testbed = testbed;
    }

    /** With a broker that has compiled what it needs: its first records are its slowest, and nobody should be charged for them. */
    static Drainage warm(Testbed testbed) throws Exception {
        Drainage drainage = new Drainage(testbed);
        for (int i = 1; i <= WARM_UPS; i++) {
            drainage.run(new ProducerCandidate(testbed), new Workload("warm-up-" + i, WARM_UP_EVENTS, 1000));
        }
        return drainage;
    }

    /**
     * What came out.
     *
     * @param received the events
     * @param usage CPU from the first receipt to the last
     * @param walBytes written while it was running
     * @param peakMiB memory of the candidate's largest process
     */
    record Outcome(Received received, Usage usage, double walBytes, long peakMiB) {

        /** As columns of a report. */
        Map<String, Double> columns() {
            int events = received.arrivals().length;
            Map<String, Double> columns = new LinkedHashMap<>();
            columns.put("events", (double) events);
            columns.put("events/s", received.perSecond());
            columns.put("2nd half/s", received.perSecondOfSecondHalf());
            columns.putAll(usage.per100k(events));
            columns.put("wal B/event", Math.max(0, walBytes) / events);
            columns.put("MiB", (double) peakMiB);
            columns.put("others %", usage.othersPercent());
            columns.put("copies", (double) received.copies());
            columns.put("disorder", (double) received.outOfOrder());
            return columns;
        }
    }

    /** Work that goes on beside a drain, and is ended by closing. */
    interface Disturbance {
        AutoCloseable begin(String database) throws Exception;
    }

    /** Prepares, drains and tidies up. */
    Outcome run(Candidate candidate, Workload workload) throws Exception {
        return run(candidate, workload, database -> () -> {});
    }

    /** The same, beside something else. */
    Outcome run(Candidate candidate, Workload workload, Disturbance disturbance) throws Exception {
        testbed.createTopic(workload.topic());
        String database = candidate.prepare(workload);
        int mark = testbed.resources().mark();
        try (AutoCloseable disturbing = disturbance.begin(database)) {
            return drain(candidate, workload, database);
        } finally {
            testbed.resources().closeSince(mark);
            testbed.deleteTopic(workload.topic());
            if (!database.equals(Databases.MAINTENANCE)) {
                testbed.databases().drop(database);
            }
        }
    }

    /** Drains what is in a database already. */
    Outcome drain(Candidate candidate, Workload workload, String database) throws Exception {
        try (Connection connection = testbed.connect(database);
                Receiver receiver = new Receiver(
                        testbed.bootstrapServers(), workload.topic(), workload.events(), PATIENCE, Payloads::number)) {
            double walBefore = Sql.walBytes(connection);
            List<Child> children = candidate.start(database, workload);
            try {
                CpuWatch watch = new CpuWatch(children);
                receiver.receiveAll(watch);
                Usage usage = Usage.now(testbed, children).since(watch.before);
                long peak = children.stream()
                        .mapToLong(child -> Proc.peakMiB(child.pid()))
                        .max()
                        .orElse(0);
                // What says that the last events are delivered is written after their receipt.
                Received received = receiver.receiveCopies(AFTERMATH);
                return new Outcome(received, usage, Sql.walBytes(connection) - walBefore, peak);
            } catch (TimeoutException e) {
                throw new IllegalStateException(candidate.name() + ": " + Child.explain(e, children), e);
            } finally {
                children.forEach(Child::close);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(candidate.name() + ": PostgreSQL cannot be asked", e);
        }
    }

    private final class CpuWatch implements Receiver.Watch {

        private final List<Child> children;
        private Usage before = Usage.NONE;

        CpuWatch(List<Child> children) {
            this.children = children;
        }

        @Override
        public void first() {
            before = Usage.now(testbed, children);
        }

        @Override
        public void check() {
            children.forEach(Child::requireAlive);
        }
    }
}
