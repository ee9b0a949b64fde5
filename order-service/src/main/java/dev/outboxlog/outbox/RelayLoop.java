package dev.outboxlog.outbox;

import dev.outboxlog.outbox.RelayWorker.Cycle;
import dev.outboxlog.outbox.RelayWorker.Mode;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jboss.logging.Logger;

/**
 * Lets one worker go through its cycles until the relay stops, and decides what comes between them: nothing, a wait for work, a pause because
 * something is away.
 *
 * <p>The first worker has two duties that the others have not: it looks at the database when there seems to be nothing to do, and it makes the
 * careful claims.
 */
final class RelayLoop implements Runnable {

    private static final Logger LOG = Logger.getLogger(RelayLoop.class);

    /** How often lanes under suspicion are looked for. They are rare, and the look costs a query. */
    private static final Duration CAREFUL_INTERVAL = Duration.ofSeconds(1);

    /**
     * What the loops of a process share.
     *
     * @param kafka whether Kafka is away
     * @param database whether the database is away
     * @param hands whose read lock is held while a claim is in hand, and whose write lock while a careful one is: should that one kill the process,
     *     no other lane's claim is lost with it and becomes suspect
     * @param lastCycleNanos when any of them last came to the end of a cycle, successful or not
     */
    record Shared(
            RelaySettings settings,
            StopSignal stop,
            Wakeups wakeups,
            Outage kafka,
            Outage database,
            ReadWriteLock hands,
            AtomicLong lastCycleNanos) {}

    private final RelayWorker worker;
    private final boolean first;
    private final Shared shared;
    private long lastCarefulNanos;

    /**
     * @param worker who does the work
     * @param first whether it is the process's first worker
     */
    RelayLoop(RelayWorker worker, boolean first, Shared shared) {
        this.worker = worker;
        this.first = first;
        this.shared = shared;
        this.lastCarefulNanos = System.nanoTime() - CAREFUL_INTERVAL.toNanos();
    }

    @Override
    public void run() {
        try {
            while (!shared.stop().isStopping()) {
                if (!first && shared.kafka().isOn()) {
                    await();
                    continue;
                }
                switch (next()) {
                    case IDLE -> await();
                    case FULL -> shared.wakeups().wake();
                    case FAILED -> shared.stop().pause(shared.kafka().pause());
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

    private Cycle next() throws InterruptedException {
        if (shared.kafka().isOn()) {
            return cycle(Mode.PROBE, shared.hands().readLock());
        }
        if (first && System.nanoTime() - lastCarefulNanos >= CAREFUL_INTERVAL.toNanos()) {
            // Looked for without the lock: taking it makes every worker put down what it has in hand.
            Cycle careful = seesSuspects() ? cycle(Mode.CAREFUL, shared.hands().writeLock()) : Cycle.IDLE;
            if (careful != Cycle.IDLE) {
                return careful;
            }
            lastCarefulNanos = System.nanoTime();
        }
        return cycle(Mode.ORDINARY, shared.hands().readLock());
    }

    private boolean seesSuspects() {
        try {
            return worker.seesSuspects();
        } catch (RuntimeException e) {
            return false; // the cycle that follows says what is away
        }
    }

    private Cycle cycle(Mode mode, Lock hands) throws InterruptedException {
        hands.lockInterruptibly();
        try {
            Cycle cycle = worker.cycle(mode, shared.kafka());
            shared.database().succeeded();
            if (mode == Mode.PROBE && !shared.kafka().isOn()) {
                shared.wakeups().wake(shared.settings().workers());
            }
            return cycle;
        } catch (RuntimeException e) {
            if (!shared.stop().isStopping()) {
                shared.database().failed(e);
                shared.stop().pause(shared.database().pause());
            }
            return Cycle.MOVED;
        } finally {
            hands.unlock();
            shared.lastCycleNanos().set(System.nanoTime());
        }
    }

    private void await() throws InterruptedException {
        if (!first) {
            shared.wakeups().await(shared.settings().lease());
            return;
        }
        double jitter = ThreadLocalRandom.current().nextDouble(0.8, 1.2);
        shared.wakeups()
                .await(Duration.ofNanos((long) (shared.settings().pollInterval().toNanos() * jitter)));
    }
}
