package dev.outboxlog.inbox;

import io.quarkus.runtime.configuration.ConfigurationException;
import java.time.Duration;

/** Settings that are valid one by one and unsafe together. The message says the values and the way out. */
final class InboxConfigCheck {

    private InboxConfigCheck() {}

    /**
     * @param grace {@code quarkus.shutdown.timeout}
     * @throws ConfigurationException for the first rule that is broken
     */
    static void check(InboxConfig config, Duration grace) {
        InboxConfig.Database database = config.database();
        shorter(
                "inbox.database.lock-timeout", database.lockTimeout(),
                "inbox.database.statement-timeout", database.statementTimeout());
        shorter(
                "inbox.database.statement-timeout", database.statementTimeout(),
                "inbox.database.read-idle-timeout", database.readIdleTimeout());
        shorter("inbox.stop-timeout", config.stopTimeout(), "quarkus.shutdown.timeout", grace);
        shorter(
                "inbox.retry.min-delay", config.retry().minDelay(),
                "inbox.retry.max-delay", config.retry().maxDelay());
        shorter(
                "inbox.database.read-idle-timeout", database.readIdleTimeout(),
                "inbox.database.transaction-timeout", database.transactionTimeout());
        shorter(
                "inbox.database.transaction-timeout", database.transactionTimeout(),
                "inbox.liveness.stalled-after", config.liveness().stalledAfter());
        shorter("inbox.redelivery-window", config.redeliveryWindow(), "inbox.dedup-window", config.dedupWindow());
        positive("inbox.redelivery-window", config.redeliveryWindow());
        positive("inbox.database.lock-timeout", database.lockTimeout());
        positive("inbox.database.acquire-timeout", database.acquireTimeout());
        positive("inbox.retry.min-delay", config.retry().minDelay());
        positive("inbox.revoke-timeout", config.revokeTimeout());
        positive("inbox.stop-timeout", config.stopTimeout());
        positive("inbox.holds.sweep-interval", config.holds().sweepInterval());
    }

    private static void shorter(String name, Duration value, String longerName, Duration longer) {
        if (value.compareTo(longer) >= 0) {
            throw new ConfigurationException("%s is %s and %s is %s: the first has to be shorter. Lower %s or raise %s."
                    .formatted(name, value, longerName, longer, name, longerName));
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new ConfigurationException(
                    "%s is %s: it has to be longer than nothing. Raise it.".formatted(name, value));
        }
    }
}
