package dev.outboxlog.outbox;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaProducer;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * The loop that moves events from lanes to Kafka: some workers, started and stopped with the application.
 *
 * <p>Replicas need not know of each other. Each takes what is free; what a dead one held is free again when its lease ends.
 */
@ApplicationScoped
class Relay {

    private static final Logger LOG = Logger.getLogger(Relay.class);

    /** The outgoing channel whose settings and producer the relay uses. */
    static final String CHANNEL = "outbox";

    private final OutboxConfig config;
    private final KafkaClientService kafkaClients;
    private final LaneRepository lanes;
    private final OutboxMetrics metrics;
    private final Wakeups wakeups;

    private final StopSignal stop = new StopSignal();
    private final List<Thread> threads = new ArrayList<>();
    private RelaySettings settings;
    private Topics topics;
    private Outage kafka;
    private Outage database;
    private volatile long lastCycleNanos;

    Relay(
            OutboxConfig config,
            KafkaClientService kafkaClients,
            LaneRepository lanes,
            OutboxMetrics metrics,
            Wakeups wakeups) {
        this.config = config;
        this.kafkaClients = kafkaClients;
        this.lanes = lanes;
        this.metrics = metrics;
        this.wakeups = wakeups;
    }

    void start(@Observes StartupEvent started) {
        KafkaProducer<String, byte[]> producer = kafkaClients.getProducer(CHANNEL);
        // Checked even where this process delivers nothing: unsafe settings are found by the first deployment, not by
        // the first relay.
        settings = RelaySettings.of(config, producer.configuration());
        kafka = new Outage("Kafka", settings.outage());
        database = new Outage("PostgreSQL", settings.outage());
        if (!config.relay().enabled()) {
            LOG.info("the relay is off in this process (outbox.relay.enabled=false)");
            return;
        }
        topics = new Topics(producer.unwrap());
        var context = new PublisherContext(
                producer.unwrap(), topics, new CloudEventRecords(config.source()), settings, metrics, stop);
        String name = processName();
        lastCycleNanos = System.nanoTime();
        for (int number = 0; number < settings.workers(); number++) {
            RelayWorker worker = new RelayWorker(name + "/" + number, lanes, context);
            boolean polls = number == 0;
            Thread thread = new Thread(() -> run(worker, polls), "outbox-relay-" + number);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        LOG.infof("the relay is on. owner=%s workers=%d lease=%s", name, settings.workers(), settings.lease());
    }

    /** Unique among all processes, and tells a person where to look. */
    private static String processName() {
        String host = ManagementFactory.getRuntimeMXBean().getName(); // pid@host
        return host + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    /** Sends nothing new, waits for what is in flight, writes it and releases the lanes, so that others take over at once. */
    void stop(@Observes ShutdownEvent stopping) throws InterruptedException {
        if (threads.isEmpty()) {
            return;
        }
        Duration bound = settings.shutdownTimeout();
        stop.stop(bound);
        wakeups.wake(settings.workers());
        // The bound is for sends in flight; writing what they achieved comes after it.
        long deadline =
                System.nanoTime() + bound.plus(settings.statementTimeout()).toNanos();
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
            if (thread.isAlive()) {
                LOG.warnf("%s did not stop in time; its lanes are free when their lease ends", thread.getName());
                thread.interrupt();
            }
        }
        topics.close();
        LOG.info("the relay has stopped");
    }

    /** Only one worker looks at the database when there is nothing to do; the others are woken when there is more than it can take. */
    private void run(RelayWorker worker, boolean polls) {
        try {
            while (!stop.isStopping()) {
                if (!polls && kafka.isOn()) {
                    await(polls);
                    continue;
                }
                switch (cycle(worker)) {
                    case IDLE -> await(polls);
                    case FULL -> wakeups.wake();
                    case FAILED -> stop.pause(kafka.pause());
                    case MOVED -> {
                        // look again at once: new events have probably come meanwhile
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            LOG.error("a relay worker has died; liveness will tell", e);
            throw e;
        }
    }

    private RelayWorker.Cycle cycle(RelayWorker worker) throws InterruptedException {
        try {
            boolean probe = kafka.isOn();
            RelayWorker.Cycle cycle = worker.cycle(probe, kafka);
            database.succeeded();
            lastCycleNanos = System.nanoTime();
            if (probe && !kafka.isOn()) {
                wakeups.wake(settings.workers());
            }
            return cycle;
        } catch (RuntimeException e) {
            if (!stop.isStopping()) {
                database.failed(e);
                stop.pause(database.pause());
            }
            lastCycleNanos = System.nanoTime();
            return RelayWorker.Cycle.MOVED;
        }
    }

    private void await(boolean polls) throws InterruptedException {
        if (!polls) {
            wakeups.await(settings.lease());
            return;
        }
        double jitter = ThreadLocalRandom.current().nextDouble(0.8, 1.2);
        wakeups.await(Duration.ofNanos((long) (settings.pollInterval().toNanos() * jitter)));
    }

    /** Whether this process delivers events. */
    boolean isOn() {
        return !threads.isEmpty();
    }

    /** Whether all workers run and one of them has lately come to the end of a cycle, successful or not. */
    boolean isAlive() {
        boolean allAlive = threads.stream().allMatch(Thread::isAlive);
        return allAlive && sinceLastCycle().compareTo(longestCycle()) < 0;
    }

    /** Time since a worker last came to the end of a cycle. */
    Duration sinceLastCycle() {
        return Duration.ofNanos(System.nanoTime() - lastCycleNanos);
    }

    /** Longer than any cycle can take: the claim, sends until the window closes, the last one's time-outs, and the advance. */
    Duration longestCycle() {
        return settings.lease()
                .plus(settings.statementTimeout().multipliedBy(2))
                .plus(settings.outage().max());
    }

    /** Whether Kafka cannot be written to, and why. */
    Outage kafka() {
        return kafka;
    }

    /** Whether the database does not answer the relay, and why. */
    Outage database() {
        return database;
    }
}
