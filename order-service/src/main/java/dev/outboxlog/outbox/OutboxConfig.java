package dev.outboxlog.outbox;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import java.time.Duration;

/** The settings of outbox and relay. A key below {@code outbox} that is not listed here stops the start. */
@ConfigMapping(prefix = "outbox")
public interface OutboxConfig {

    /**
     * CloudEvents {@code source} of all events: which application they come from. A URI reference. Together with an event's id it is
     * unique, so do not change it while consumers still remember ids.
     */
    @NotBlank
    String source();

    /**
     * The greatest event, payload and headers, that may be appended. Must stay below {@code max.request.size} of the producer and
     * {@code max.message.bytes} of the topic, with a few hundred bytes to spare for key and CloudEvents headers.
     */
    @WithDefault("900K")
    MemorySize maxEventSize();

    /**
     * How long any one SQL statement of outbox and relay may take, in the database ({@code statement_timeout}) and on the client, which
     * waits a second longer. Too low: a busy database looks broken. Too high: the lease must grow with it.
     */
    @WithDefault("5s")
    Duration statementTimeout();

    /** The relay. */
    Relay relay();

    /** The numbers that are read from the database from time to time. */
    Sampler sampler();

    /** What operators may send once more. */
    Replay replay();

    interface Relay {

        /** Whether this process delivers events. One that does not still accepts orders; some replica has to deliver them. */
        @WithDefault("true")
        boolean enabled();

        /**
         * Claims that are worked on at the same time. With 2, one reads from the database while the other waits for Kafka. More help only
         * where the database is far away; each needs a connection and memory for a claim.
         */
        @WithDefault("2")
        @Min(1)
        @Max(16)
        int workers();

        /** Lanes taken with one claim. More are faster with a backlog, fewer leave more to other replicas. */
        @WithDefault("32")
        @Min(1)
        @Max(64)
        int lanesPerClaim();

        /** Events read of one lane with one claim. Lanes times events is what a worker holds in memory, and what a crash re-delivers. */
        @WithDefault("125")
        @Min(1)
        @Max(10_000)
        int eventsPerLane();

        /** Bytes of payload read of one lane with one claim; one event is always read, however large. Bounds the memory of a worker. */
        @WithDefault("1M")
        MemorySize bytesPerLane();

        /**
         * How long a claim is this relay's alone, on the database's clock. After a crash, its lanes wait this long for another relay. Must
         * exceed all that a send can take; the start is refused otherwise.
         */
        @WithDefault("60s")
        Duration lease();

        /**
         * Pause between two looks at the database when there is nothing to do, 20 % more or less at random. Orders placed through this
         * process are published at once regardless; this is for events that others insert. Lower costs queries.
         */
        @WithDefault("300ms")
        Duration pollInterval();

        /** How long SIGTERM waits for sends that are in flight. What is not acknowledged by then is delivered again by another relay. */
        @WithDefault("20s")
        Duration shutdownTimeout();

        /** What happens when claims do not come back. */
        CrashLoop crashLoop();

        /** Pauses while Kafka or the database is away. */
        Backoff outage();

        /** Pauses between attempts for an event on hold. */
        HoldBackoff hold();
    }

    interface CrashLoop {

        /**
         * After so many claims of a lane in a row that did not come back (the process died, hung, or lost the database), its events are taken one
         * by one, and nothing else at the same time. Too low: every hard stop of a relay makes its lanes slow for a moment.
         */
        @WithDefault("2")
        @Min(1)
        int suspectAfter();

        /** After so many, the event that is next is parked. Each takes a lease. Must be greater than the number above. */
        @WithDefault("5")
        @Min(2)
        int parkAfter();
    }

    interface Backoff {

        /** The first pause; each further one is twice as long, half of it at random. */
        @WithDefault("200ms")
        Duration min();

        /** The longest pause: about how late the end of an outage is noticed. */
        @WithDefault("5s")
        Duration max();
    }

    interface HoldBackoff {

        /** The first pause; each further one is twice as long, half of it at random. */
        @WithDefault("1s")
        Duration min();

        /** The longest pause: how late an event may follow once its topic has been mended. */
        @WithDefault("5m")
        Duration max();
    }

    interface Sampler {

        /** How old the sampled metrics may get. Lower costs queries. */
        @WithDefault("5s")
        Duration interval();
    }

    interface Replay {

        /**
         * How many events one replay may have. All of them go on hold at once, and their lanes wait while that is written: about a second
         * for the default. Higher: longer. Lower: more replays for the same events.
         */
        @WithDefault("10000")
        @Min(1)
        @Max(100_000)
        int maxEvents();

        /**
         * How long consumers remember ids: the smallest {@code inbox.dedup-window} of all of them. A replay of older events is refused
         * unless the operator insists. Too high: consumers apply or park what they have forgotten. Too low: harmless replays are refused.
         */
        @WithDefault("30d")
        Duration dedupWindow();
    }
}
