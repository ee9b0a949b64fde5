package dev.outboxlog.inbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Tells work in hand to stop trying: somebody else will do it. What is running finishes; nothing new begins. */
final class Abort {

    private final CountDownLatch requested = new CountDownLatch(1);

    void request() {
        requested.countDown();
    }

    boolean requested() {
        return requested.getCount() == 0;
    }

    /** Waits, and returns true as soon as it is requested. */
    boolean requestedWithin(Duration delay) throws InterruptedException {
        return requested.await(delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The work was not finished, on purpose. */
    static final class AbortedException extends RuntimeException {
        AbortedException() {
            super("the work in hand was given up", null, false, false);
        }
    }
}
