package dev.outboxlog.inbox;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;

/** Settings of the inbox. Unknown keys below {@code inbox} stop the start. */
@ConfigMapping(prefix = "inbox")
public interface InboxConfig {

    /**
     * Whether the loop consumes. Default: true. With false, the HTTP API works on what is there already and the lag grows.
     */
    @WithDefault("true")
    boolean enabled();

    /** The topic. Default: orders. One that does not exist is waited for. */
    @WithDefault("orders")
    @NotBlank
    String topic();

    /**
     * The consumer group. Default: shipping-consumer. A new name reads the topic again from its beginning; what is remembered is
     * not applied again.
     */
    @WithDefault("shipping-consumer")
    @NotBlank
    String group();

    /**
     * What happens to an event of a type that the domain does not know. Default: ignore. "ignore" remembers and counts it; "park"
     * holds it for a person, and later events of its subject wait behind it.
     */
    @WithDefault("ignore")
    UnknownTypes unknownTypes();

    /**
     * How long handing over may take when the broker takes partitions away. Default: 10s. Too short: work is given up and done
     * again by the next owner, without a second effect. Too long: the whole group waits that long for a rebalance.
     */
    @WithDefault("10s")
    Duration revokeTimeout();

    /**
     * How long a stop waits for what is in hand. Default: 15s. Too short: the next start does some work again. Has to be shorter
     * than quarkus.shutdown.timeout.
     */
    @WithDefault("15s")
    Duration stopTimeout();

    /**
     * How long ids are remembered. Default: 30d. Longer than the redelivery window. Short: an event that comes later is parked,
     * because it cannot be told from a duplicate. Long: some 60 bytes per event and day.
     */
    @WithDefault("30d")
    Duration dedupWindow();

    /**
     * How long after its time an event can still come again: what the topic keeps, and how far back anybody replays. Default: 14d.
     * It changes nothing by itself; a dedup window that is shorter stops the start.
     */
    @WithDefault("14d")
    Duration redeliveryWindow();

    /** Sizes of a batch. */
    @Valid
    Batch batch();

    /** Delays after failures that heal by themselves. */
    @Valid
    Retry retry();

    /** Events that wait for an earlier one. */
    @Valid
    HoldSettings holds();

    /** When the process calls itself stuck. */
    @Valid
    Liveness liveness();

    /** Bounds of every connection to the database. */
    @Valid
    Database database();

    /** See {@link #unknownTypes()}. */
    enum UnknownTypes {
        IGNORE,
        PARK
    }

    /** Sizes of a batch. */
    interface Batch {

        /**
         * The most records of one transaction. Default: 2000. 1: a transaction for each event, a tenth of the throughput. 10000:
         * long transactions, and a shutdown has more in hand.
         */
        @WithDefault("2000")
        @Min(1)
        @Max(10_000)
        int maxRecords();

        /**
         * The most bytes that one answer of the broker brings; a larger record comes alone. Default: 8388608. This times a few is
         * the memory that a backlog can take.
         */
        @WithDefault("8388608")
        @Min(1024)
        @Max(104_857_600)
        int fetchMaxBytes();

        /**
         * The most bytes of one partition in such an answer. Default: 2097152. Small values make a backlog in one partition slow.
         */
        @WithDefault("2097152")
        @Min(1024)
        @Max(104_857_600)
        int partitionMaxBytes();
    }

    /** Delays after failures that heal by themselves; they double, with jitter, and never give up. */
    interface Retry {

        /** After the first failure. Default: 100ms. */
        @WithDefault("100ms")
        Duration minDelay();

        /** The longest. Default: 30s: a healed database is used again after that at the latest. */
        @WithDefault("30s")
        Duration maxDelay();
    }

    /** Events that wait for an earlier one. */
    interface HoldSettings {

        /**
         * How often held events are offered again although nothing of their subject came. Default: 10s. It matters only after two
         * consumers worked on the same subject for a moment. Short: needless queries.
         */
        @WithDefault("10s")
        Duration sweepInterval();

        /** How many subjects one sweep takes. Default: 500. */
        @WithDefault("500")
        @Min(1)
        @Max(10_000)
        int sweepSize();
    }

    /** When the process calls itself stuck. */
    interface Liveness {

        /**
         * How long there may be lag without progress although database and broker answer. Default: 2m. Short: a slow batch
         * restarts the process. Long: a stuck one stays.
         */
        @WithDefault("2m")
        Duration stalledAfter();
    }

    /** Bounds of every connection to the database. */
    interface Database {

        /** How long the server lets a statement wait for a lock. Default: 5s. Shorter than the statement time-out. */
        @WithDefault("5s")
        Duration lockTimeout();

        /** How long the server lets a statement run. Default: 10s. Short: large batches never finish. */
        @WithDefault("10s")
        Duration statementTimeout();

        /**
         * How long the client waits for a byte before it drops the connection. Default: 20s. Longer than the statement time-out:
         * it is for servers that vanished without a word.
         */
        @WithDefault("20s")
        Duration readIdleTimeout();

        /**
         * How long a whole transaction of the inbox may take, waiting for a connection included. Default: 60s. Longer than the read
         * idle time-out: it is for answers that get lost in this process. Then the batch is tried again.
         */
        @WithDefault("60s")
        Duration transactionTimeout();

        /** How long a request waits for a free connection. Default: 5s. Then it is answered with 503. */
        @WithDefault("5s")
        Duration acquireTimeout();

        /** How many may wait for a connection. Default: 256. The next one is answered with 503 at once. 0: nobody waits. */
        @WithDefault("256")
        @Min(0)
        @Max(100_000)
        int maxWaiting();
    }
}
