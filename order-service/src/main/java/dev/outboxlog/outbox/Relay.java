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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
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
    private final LaneClaims claims;
    private final LaneAdvances advances;
    private final OutboxMetrics metrics;
    private final Wakeups wakeups;

    private final StopSignal stop = new StopSignal();
    private final List<Thread> threads = new ArrayList<>();
    private RelaySettings settings;
    private RenewableProducer renewable;
    private Topics topics;
    private RelayLoop.Shared shared;

    Relay(
            OutboxConfig config,
            KafkaClientService kafkaClients,
            LaneClaims claims,
            LaneAdvances advances,
            OutboxMetrics metrics,
            Wakeups wakeups) {
        this.config = config;
        this.kafkaClients = kafkaClients;
        this.claims = claims;
        this.advances = advances;
        this.metrics = metrics;
        this.wakeups = wakeups;
    }

    void start(@Observes StartupEvent started) {
        KafkaProducer<String, byte[]> producer = kafkaClients.getProducer(CHANNEL);
        // Checked even where this process delivers nothing: unsafe settings are found by the first deployment, not by
        // the first relay.
        settings = RelaySettings.of(config, producer.configuration());
        shared = new RelayLoop.Shared(
                settings,
                stop,
                wakeups,
                new Outage("Kafka", settings.outage()),
                new Outage("PostgreSQL", settings.outage()),
                new ReentrantReadWriteLock(true),
                new AtomicLong(System.nanoTime()));
        if (!config.relay().enabled()) {
            LOG.info("the relay is off in this process (outbox.relay.enabled=false)");
            return;
        }
        renewable = new RenewableProducer(
                producer.unwrap(),
                () -> new org.apache.kafka.clients.producer.KafkaProducer<>(settingsOf(producer)),
                metrics);
        topics = new Topics(renewable);
        var context = new PublisherContext(
                renewable, topics, new CloudEventRecords(config.source()), settings, metrics, stop);
        Publisher publisher = new Publisher(context);
        String name = processName();
        for (int number = 0; number < settings.workers(); number++) {
            RelayWorker worker = new RelayWorker(name + "/" + number, claims, advances, publisher, context);
            Thread thread = new Thread(new RelayLoop(worker, number == 0, shared), "outbox-relay-" + number);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        LOG.infof("the relay is on. owner=%s workers=%d lease=%s", name, settings.workers(), settings.lease());
    }

    private static Map<String, Object> settingsOf(KafkaProducer<String, byte[]> producer) {
        return new HashMap<>(producer.configuration());
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
        renewable.close();
        LOG.info("the relay has stopped");
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
        return Duration.ofNanos(System.nanoTime() - shared.lastCycleNanos().get());
    }

    /** Longer than any cycle can take: the claim, sends until the window closes, the last one's time-outs, and the advance. */
    Duration longestCycle() {
        return settings.lease()
                .plus(settings.statementTimeout().multipliedBy(2))
                .plus(settings.outage().max());
    }

    /** Whether Kafka cannot be written to, and why. */
    Outage kafka() {
        return shared.kafka();
    }

    /** Whether the database does not answer the relay, and why. */
    Outage database() {
        return shared.database();
    }
}
