package dev.outboxlog.inbox;

import jakarta.inject.Singleton;
import java.time.Duration;

/** What the loop is doing, as health and metrics see it. Written by the loop and its worker, read by any thread. */
@Singleton
class Progress {

    private volatile long lastProgress = System.nanoTime();
    private volatile long lag;
    private volatile boolean waitsForDatabase;

    /** The loop came round with nothing left to do, or a batch was committed. */
    void advanced() {
        lastProgress = System.nanoTime();
    }

    /** Records that are known to be on the broker and not yet committed here. */
    void lag(long records) {
        lag = records;
        if (records == 0) {
            advanced();
        }
    }

    /** A pool that has nothing to give may be this process's own fault, so it is no excuse for a stall. */
    void databaseFails(FailureClass failureClass) {
        waitsForDatabase = failureClass != FailureClass.POOL;
    }

    /** It may have been away for long: the clock of the stall starts again. */
    void databaseAnswers() {
        advanced();
        waitsForDatabase = false;
    }

    long lag() {
        return lag;
    }

    boolean waitsForDatabase() {
        return waitsForDatabase;
    }

    /** How long there has been work without any progress. */
    Duration stalledFor() {
        return lag == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - lastProgress);
    }
}
