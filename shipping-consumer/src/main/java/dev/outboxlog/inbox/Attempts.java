package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Abort.AbortedException;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** Tries work on the database again for as long as its failure heals by itself. Blocks; for worker threads only. */
@Singleton
class Attempts {

    private static final Logger LOG = Logger.getLogger(Attempts.class);

    private final Progress progress;
    private final InboxMetrics metrics;
    private final Backoff backoff;
    private final Duration deadline;

    Attempts(Progress progress, InboxMetrics metrics, InboxConfig config) {
        this.progress = progress;
        this.metrics = metrics;
        this.backoff = new Backoff(config.retry().minDelay(), config.retry().maxDelay());
        this.deadline = config.database().transactionTimeout();
    }

    /**
     * Returns the result as soon as an attempt succeeds.
     *
     * @throws EventFailure for a failure that another attempt would not change
     * @throws AbortedException when it is told to stop trying
     */
    <T> T untilSettled(Supplier<Uni<T>> work, Abort abort) throws EventFailure, InterruptedException {
        int failures = 0;
        while (!abort.requested()) {
            try {
                T result = work.get().await().atMost(deadline);
                if (failures > 0) {
                    progress.databaseAnswers();
                    LOG.infof("the database does its work again: failures=%d", failures);
                }
                return result;
            } catch (RuntimeException | Error failure) {
                FailureClass failureClass = FailureClass.of(failure);
                if (!failureClass.isTransient()) {
                    throw new EventFailure(failure);
                }
                failures++;
                metrics.batchRetried(failureClass);
                progress.databaseFails(failureClass);
                if (failures == 1) {
                    LOG.warnf("failed, trying again until it works: class=%s cause=%s", failureClass.tag(), failure);
                }
                pause(failures, abort);
            }
        }
        throw new AbortedException();
    }

    /** For work that has nothing of an event in it that could fail: whatever fails is repaired by somebody. */
    <T> T untilDone(Supplier<Uni<T>> work, Abort abort) throws InterruptedException {
        for (int failures = 1; ; failures++) {
            try {
                return untilSettled(work, abort);
            } catch (EventFailure failure) {
                LOG.errorf("failed where nothing should, trying again: cause=%s", failure.getCause());
                pause(failures, abort);
            }
        }
    }

    private void pause(int failures, Abort abort) throws InterruptedException {
        if (abort.requestedWithin(backoff.after(failures))) {
            throw new AbortedException();
        }
    }

    /** The cause is the event's. */
    static final class EventFailure extends Exception {
        EventFailure(Throwable cause) {
            super(null, cause, false, false);
        }
    }
}
