/**
 * A transactional outbox that is a log, and the relay that publishes it. Knows nothing of orders.
 *
 * <p>{@link dev.outboxlog.outbox.Outbox} is what an application uses. The rest is the relay:
 * {@link dev.outboxlog.outbox.Relay} runs {@link dev.outboxlog.outbox.RelayWorker}s, which claim and advance lanes through
 * {@link dev.outboxlog.outbox.LaneClaims} and {@link dev.outboxlog.outbox.LaneAdvances} and send what they have claimed as a {@link dev.outboxlog.outbox.Publication} through the {@link dev.outboxlog.outbox.Publisher}.
 */
package dev.outboxlog.outbox;
