package dev.outboxlog.outbox;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes a waiting relay worker. Many nudges while all are busy are as good as one. */
@ApplicationScoped
class Wakeups {

    private final Semaphore permits = new Semaphore(0);

    /** Wakes one worker, or the next one that is about to wait. Never blocks. */
    void wake() {
        // A race can leave a permit or two more than needed; the price is a look at the database that finds nothing.
        if (permits.availablePermits() == 0) {
            permits.release();
        }
    }

    /** Wakes this many workers. */
    void wake(int workers) {
        permits.release(workers);
    }

    /** Waits for a wake-up, at most this long. */
    void await(Duration atMost) throws InterruptedException {
        permits.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }
}
