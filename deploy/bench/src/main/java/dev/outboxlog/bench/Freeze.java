package dev.outboxlog.bench;

import dev.outboxlog.local.testing.TopicReader;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a frozen broker does to those who place orders, and what is left of it when it goes on. */
final class Freeze implements Measurement {

    private static final String TOPIC = "freeze";
    private static final long DRAIN_SECONDS = 180;

    /** When an order was placed. */
    private enum Phase {
        BEFORE,
        FROZEN,
        AFTER
    }

    @Override
    public String name() {
        return "freeze";
    }

    @Override
    public String question() {
        return "What does a broker that is frozen for a while do to POST /orders, and how is its backlog delivered?";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("rate", 200, "orders a second"),
                Setting.number("calm", 10, "seconds before the freeze, and after it"),
                Setting.number("frozen", 60, "seconds that the broker is frozen"),
                Setting.number("warmup", 15, "seconds before all that, which do not count"),
                Jvms.SETTING);
    }

    @Override
    public void run(Arguments arguments, Report report) throws Exception {
        int rate = arguments.number("rate");
        int calm = arguments.number("calm");
        int frozen = arguments.number("frozen");
        try (Testbed testbed = Testbed.start(Map.of())) {
            Versions.note(report, testbed, false);
            testbed.createTopic(TOPIC);
            try (Way.Running running = Way.placed(testbed, Jvms.of(arguments)).start(TOPIC);
                    Connection connection = testbed.connect(running.database())) {
                OpenLoop.run(arguments.number("warmup") * rate, rate, running.connections(), running.load());
                Clients clients = new Clients(running, rate);
                CompletableFuture<Void> load = clients.start((calm + frozen + calm) * rate);
                TimeUnit.SECONDS.sleep(calm);
                clients.phase = Phase.FROZEN;
                testbed.broker().freeze();
                TimeUnit.SECONDS.sleep(frozen);
                long waiting = (long) Sql.number(connection, "SELECT count(*) FROM outbox WHERE status <> 'delivered'");
                testbed.broker().thaw();
                clients.phase = Phase.AFTER;
                double caughtUp = secondsUntilCaughtUp(connection);
                load.get(calm + 60L, TimeUnit.SECONDS);
                awaitNone(connection, "SELECT count(*) FROM outbox WHERE status <> 'delivered'");
                Map<String, Long> copies =
                        TopicReader.ids(new TopicReader(testbed.bootstrapServers()).read(TOPIC)).stream()
                                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
                for (Phase phase : Phase.values()) {
                    report.add(Row.of(1, "orders placed", phase.name().toLowerCase(java.util.Locale.ROOT))
                            .with(clients.delays.get(phase.ordinal()).columns()));
                }
                report.note(
                        "waiting at the end of the freeze: %d; caught up after %.1f s; on hold ever: %.0f; events: %d; most copies of one: %d"
                                .formatted(
                                        waiting,
                                        caughtUp,
                                        Sql.number(connection, "SELECT count(*) FROM outbox_hold"),
                                        copies.size(),
                                        copies.values().stream()
                                                .mapToLong(Long::longValue)
                                                .max()
                                                .orElse(0)));
            }
        }
        report.note("Delays are from when an order was due to be placed until it was answered.");
    }

    /** Until the oldest event that waits is no older than those of a system at rest. */
    private static double secondsUntilCaughtUp(Connection connection) throws Exception {
        long began = System.nanoTime();
        awaitNone(
                connection,
                "SELECT count(*) FROM outbox WHERE status <> 'delivered' AND created_at < clock_timestamp() - interval '1 s'");
        return (System.nanoTime() - began) / 1e9;
    }

    private static void awaitNone(Connection connection, String count) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
        while (Sql.number(connection, count) > 0) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("events still wait " + DRAIN_SECONDS + " s later");
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** Those who place orders, and how long each had to wait. */
    private static final class Clients {

        private final Way.Running running;
        private final int rate;
        private final AtomicLong first = new AtomicLong();
        private final List<Delays> delays = List.of(new Delays(), new Delays(), new Delays());
        private volatile Phase phase = Phase.BEFORE;

        Clients(Way.Running running, int rate) {
            this.running = running;
            this.rate = rate;
        }

        CompletableFuture<Void> start(int orders) {
            return CompletableFuture.runAsync(() -> {
                try {
                    OpenLoop.run(orders, rate, running.connections(), this::place);
                } catch (Exception e) {
                    throw new IllegalStateException("orders were not answered", e);
                }
            });
        }

        private void place(int connection, int n) throws Exception {
            long offset = n * TimeUnit.SECONDS.toNanos(1) / rate;
            first.compareAndSet(0, System.nanoTime() - offset);
            Phase now = phase;
            running.load().run(connection, n);
            long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - first.get() - offset);
            synchronized (delays) {
                delays.get(now.ordinal()).add(micros);
            }
        }
    }
}
