package dev.outboxlog.outbox;

import java.util.List;

/**
 * A lane that is this relay's until its lease ends, with what is to be delivered.
 *
 * @param lane which one
 * @param epoch the fencing token of this claim
 * @param cursor the last position that was delivered or on hold when the lane was claimed
 * @param takenOver whether the relay before let its lease run out instead of releasing the lane: what it had in hand may be in Kafka
 * @param holdsDue whether an event on hold is to be tried again
 * @param claimsLost how many claims of the lane before this one did not come back, one after the other
 * @param events the events past the cursor, in order of position
 * @param dueHolds events on hold whose time has come, each followed by those that wait behind it, in order of position
 */
record ClaimedLane(
        int lane,
        long epoch,
        long cursor,
        boolean takenOver,
        boolean holdsDue,
        int claimsLost,
        List<StoredEvent> events,
        List<StoredEvent> dueHolds) {}
