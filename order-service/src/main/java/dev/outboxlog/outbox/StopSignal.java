package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells the workers of a relay to stop, and by when. */
final class StopSignal {

    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile long deadlineNanos;

    /** Asks the workers to send nothing new and to finish what is in flight within this time. */
    void stop(Duration within) {
        deadlineNanos = System.nanoTime() + within.toNanos();
        stopped.countDown();
    }

    boolean isStopping() {
        return stopped.getCount() == 0;
    }

    /** Nanoseconds that are left to finish; meaningful once stopping. */
    long nanosLeft() {
        return deadlineNanos - System.nanoTime();
    }

    /** Pauses, but not past the stop. */
    void pause(Duration atMost) throws InterruptedException {
        stopped.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }
}
