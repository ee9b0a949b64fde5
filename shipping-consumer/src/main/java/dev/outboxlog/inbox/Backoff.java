package dev.outboxlog.inbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Delays between attempts: doubling from the smallest to the largest, each somewhere between its half and its whole. */
record Backoff(Duration smallest, Duration largest) {

    private static final int DOUBLINGS = 20;

    Backoff {
        if (smallest.isNegative() || smallest.isZero() || largest.compareTo(smallest) < 0) {
            throw new IllegalArgumentException(
                    "delays of " + smallest + " to " + largest + " are not from small to large");
        }
    }

    /**
     * @param failures how many attempts have failed in a row, from 1
     */
    Duration after(int failures) {
        long doubled = smallest.toNanos() * (1L << Math.min(failures - 1, DOUBLINGS));
        long whole = doubled < 0 ? largest.toNanos() : Math.min(doubled, largest.toNanos());
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(whole / 2, whole + 1));
    }
}
