package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Abort.AbortedException;
import dev.outboxlog.inbox.Attempts.EventFailure;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Settles batches, however long it takes: tries again for ever while the database or its surroundings are at fault, and parks an
 * event that fails by itself. Its methods block; they run on a loop's worker thread.
 */
@Singleton
class BatchProcessor {

    private static final Logger LOG = Logger.getLogger(BatchProcessor.class);

    /** How many held events of one subject a sweep offers at a time. */
    private static final int EACH = 10;

    private final BatchTransaction transaction;
    private final Attempts attempts;
    private final Holds holds;
    private final Memory memory;
    private final Pool pool;
    private final InboxMetrics metrics;
    private final int sweepSize;
    private final Duration dedupWindow;
    private volatile String lastSwept = "";

    BatchProcessor(
            BatchTransaction transaction,
            Attempts attempts,
            Holds holds,
            Memory memory,
            Pool pool,
            InboxMetrics metrics,
            InboxConfig config) {
        this.transaction = transaction;
        this.attempts = attempts;
        this.holds = holds;
        this.memory = memory;
        this.pool = pool;
        this.metrics = metrics;
        this.sweepSize = config.holds().sweepSize();
        this.dedupWindow = config.dedupWindow();
    }

    /**
     * Returns when every record of the batch is settled and committed. A batch that fails is halved until the culprit stands alone.
     *
     * @throws AbortedException when it was told to stop before; what is committed by then is remembered
     */
    void process(List<Delivery> batch, Abort abort) throws InterruptedException {
        Deque<List<Delivery>> todo = new ArrayDeque<>();
        todo.push(batch);
        while (!todo.isEmpty()) {
            List<Delivery> next = todo.pop();
            try {
                metrics.settled(attempts.untilSettled(() -> transaction.run(next, true), abort));
            } catch (EventFailure failure) {
                if (next.size() > 1) {
                    metrics.batchSplit();
                    todo.push(next.subList(next.size() / 2, next.size()));
                    todo.push(next.subList(0, next.size() / 2));
                } else {
                    settleAlone(next.get(0), abort);
                }
            }
        }
    }

    /** The second attempt leaves the held events out: it may be one of them that fails. It also heals a lost race. */
    private void settleAlone(Delivery culprit, Abort abort) throws InterruptedException {
        try {
            metrics.settled(attempts.untilSettled(() -> transaction.run(List.of(culprit), false), abort));
        } catch (EventFailure failure) {
            Reasons reasons = Reasons.of(failure.getCause());
            RawRecord raw = culprit.raw();
            LOG.warnf(
                    "event parked: id=%s topic=%s partition=%d offset=%d reason=%s",
                    culprit.id(), raw.topic(), raw.partition(), raw.offset(), reasons.text());
            metrics.settled(attempts.untilDone(() -> transaction.park(culprit, reasons.code(), reasons.text()), abort));
        }
    }

    /** Offers held events whose turn may have come without the engine noticing; in portions, all in the end. */
    void sweep(Abort abort) throws InterruptedException {
        List<String> subjects = attempts.untilDone(() -> holds.heldSubjects(pool, lastSwept, sweepSize), abort);
        lastSwept = subjects.size() < sweepSize ? "" : subjects.get(subjects.size() - 1);
        if (!subjects.isEmpty()) {
            try {
                BatchResult result;
                do {
                    result = attempts.untilSettled(() -> transaction.runHeld(subjects, EACH), abort);
                    metrics.settled(result);
                } while (result.freed() > 0);
            } catch (EventFailure failure) {
                for (String subject : subjects) {
                    sweepOne(subject, abort);
                }
            }
        }
        metrics.onHold(attempts.untilDone(() -> holds.count(pool), abort));
    }

    /**
     * Makes room for the ids of the next days and forgets old ones.
     *
     * @param caughtUp whether the group has read everything that is older than the window; otherwise nothing is forgotten
     */
    void maintain(boolean caughtUp, Abort abort) throws InterruptedException {
        attempts.untilDone(memory::prepare, abort);
        if (caughtUp) {
            int days = attempts.untilDone(() -> memory.forget(dedupWindow), abort);
            if (days > 0) {
                LOG.infof("ids forgotten: days=%d window=%s", days, dedupWindow);
            }
        }
    }

    private void sweepOne(String subject, Abort abort) throws InterruptedException {
        try {
            metrics.settled(attempts.untilSettled(() -> transaction.runHeld(List.of(subject), 1), abort));
        } catch (EventFailure failure) {
            Reasons reasons = Reasons.of(failure.getCause());
            LOG.warnf("held event parked: subject=%s reason=%s", subject, reasons.text());
            attempts.untilDone(() -> transaction.parkFirstHeld(subject, reasons.code(), reasons.text()), abort);
        }
    }
}
