package dev.outboxlog.outbox.ops;

/** What an action came to. */
sealed interface Result {

    /**
     * It was done.
     *
     * @param outcome what became of what it concerned
     * @param affected how many events, or pauses, it changed
     */
    record Done(String outcome, int affected) implements Result {}

    /** Nothing was left to do. */
    record Already(String outcome) implements Result {}

    /** An earlier event of the aggregate must go first. */
    record Behind(String firstEventId) implements Result {}

    /** A pause is in force. */
    record Paused(String scope, String target) implements Result {}

    /** There is no such thing. */
    record Unknown() implements Result {}
}
