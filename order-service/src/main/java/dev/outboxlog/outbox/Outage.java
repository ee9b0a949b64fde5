package dev.outboxlog.outbox;

import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Whether something that the relay needs is away, and for how long. Says so in the log once when it begins and once when it ends. Shared by
 * the workers.
 */
final class Outage {

    private static final Logger LOG = Logger.getLogger(Outage.class);

    private final String what;
    private final Backoff backoff;
    private int failures;
    private long sinceNanos;
    private String reason;

    /**
     * @param what what may be away, for the log
     * @param backoff the pauses between attempts
     */
    Outage(String what, Backoff backoff) {
        this.what = what;
        this.backoff = backoff;
    }

    /** Notes that an attempt failed. */
    synchronized void failed(Throwable failure) {
        failures++;
        reason = PublisherContext.describe(failure);
        if (failures == 1) {
            sinceNanos = System.nanoTime();
            LOG.warnf("%s is away; the relay waits and tries again. reason=\"%s\"", what, reason);
        }
    }

    /**
     * Notes that an attempt succeeded.
     *
     * @return whether that ends an outage
     */
    synchronized boolean succeeded() {
        if (failures == 0) {
            return false;
        }
        LOG.infof("%s is back. awayForMs=%d failedAttempts=%d", what, lasting().toMillis(), failures);
        failures = 0;
        reason = null;
        return true;
    }

    synchronized boolean isOn() {
        return failures > 0;
    }

    /** Time since the first failure; zero when there is no outage. */
    synchronized Duration lasting() {
        return failures == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - sinceNanos);
    }

    /** What the last attempt failed with; {@code null} when there is no outage. */
    synchronized String reason() {
        return reason;
    }

    /** How long to wait before the next attempt. */
    synchronized Duration pause() {
        return backoff.pause(failures);
    }
}
