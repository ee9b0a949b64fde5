package dev.outboxlog.outbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses that double, half of each at random, so that replicas which failed together do not come back together ("equal jitter", Marc
 * Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
 *
 * @param min the first pause
 * @param max the longest pause
 */
record Backoff(Duration min, Duration max) {

    private static final int MAX_DOUBLINGS = 30;

    Backoff {
        if (min.isNegative() || min.isZero() || max.compareTo(min) < 0) {
            throw new IllegalArgumentException("a backoff needs 0 < min <= max, not min " + min + " and max " + max);
        }
    }

    /** The pause after so many failures in a row, 1 being the first. */
    Duration pause(int failures) {
        int doublings = Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS);
        long full = min.toMillis() > max.toMillis() >> doublings ? max.toMillis() : min.toMillis() << doublings;
        return Duration.ofMillis(full - ThreadLocalRandom.current().nextLong(full / 2 + 1));
    }
}
