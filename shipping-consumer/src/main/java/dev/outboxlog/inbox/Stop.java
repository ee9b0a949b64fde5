package dev.outboxlog.inbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The wish that the loop ends, and how long it may take. */
final class Stop {

    private final CountDownLatch requested = new CountDownLatch(1);
    private final Duration grace;
    private volatile long deadline;

    Stop(Duration grace) {
        this.grace = grace;
    }

    void request() {
        deadline = System.nanoTime() + grace.toNanos();
        requested.countDown();
    }

    boolean requested() {
        return requested.getCount() == 0;
    }

    /** Waits, and returns true as soon as it is requested. */
    boolean requestedWithin(Duration delay) throws InterruptedException {
        return requested.await(delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whether the grace is over; only after a request. */
    boolean isOverdue() {
        return System.nanoTime() - deadline >= 0;
    }
}
