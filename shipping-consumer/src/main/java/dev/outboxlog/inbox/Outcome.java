package dev.outboxlog.inbox;

import java.util.Objects;

/** What became of an event in the domain. Everything here is expected; a failure of the database is an exception instead. */
public sealed interface Outcome {

    /** The effect is written. */
    record Applied() implements Outcome {}

    /**
     * Not older than what is known already: remembered, without an effect.
     *
     * @param known the subject's version
     */
    record Stale(long known) implements Outcome {}

    /**
     * An earlier event is missing: the engine holds this one and offers it again when an earlier one came.
     *
     * @param known the subject's version
     */
    record Gap(long known) implements Outcome {}

    /** Of a type that the domain has no use for; it takes its place in the sequence and has no effect. */
    record Ignored() implements Outcome {}

    /**
     * It will never be applicable as it is: the engine parks it for a person. Later events of its subject are gaps.
     *
     * @param code a stable word of lower-case letters and dashes
     * @param reason for a person; without payload
     */
    record Rejected(String code, String reason) implements Outcome {
        public Rejected {
            Objects.requireNonNull(reason, "reason");
            if (!code.matches("[a-z][a-z-]*")) {
                throw new IllegalArgumentException("the code \"" + code + "\" is not of letters and dashes");
            }
        }
    }

    /** There is only one. */
    Outcome APPLIED = new Applied();

    /** There is only one. */
    Outcome IGNORED = new Ignored();
}
