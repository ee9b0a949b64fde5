package dev.outboxlog.outbox;

import java.util.List;
import java.util.Map;

/**
 * What one claim of a lane has achieved, to be written in one go under the claim's epoch.
 *
 * @param lane which lane
 * @param epoch the claim's fencing token
 * @param cursor where the cursor may stand now: all before it is delivered or on hold
 * @param release whether the lane is given back; not while a send's outcome is unknown
 * @param deliveries what has left, for the ledger
 * @param holds events that go on hold or stay there
 * @param freed positions whose hold ends because they were delivered
 */
record LaneProgress(
        int lane,
        long epoch,
        long cursor,
        boolean release,
        List<Delivery> deliveries,
        List<Hold> holds,
        List<Long> freed) {

    /**
     * A row of the ledger.
     *
     * @param firstPosition position of the first event
     * @param lastPosition position of the last event
     * @param events how many events lie between them and were delivered
     * @param offsets topic-partition to [first offset, last offset]
     */
    record Delivery(long firstPosition, long lastPosition, int events, Map<String, long[]> offsets) {}

    int delivered() {
        return deliveries.stream().mapToInt(Delivery::events).sum();
    }

    boolean touchesHolds() {
        return !holds.isEmpty() || !freed.isEmpty();
    }
}
