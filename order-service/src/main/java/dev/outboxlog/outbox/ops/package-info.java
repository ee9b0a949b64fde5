/**
 * What operators see of the outbox and do to it, over HTTP below {@code /outbox}.
 *
 * <p>Every deed is one transaction: it locks the lanes that it concerns, changes holds or pauses by one guarded statement that also writes
 * the audit, and leaves the holds of each aggregate in order ({@link dev.outboxlog.outbox.HoldOrder}). So it is safe against relays that
 * work at the same moment. What a relay has claimed before may still leave, at most half a lease later.
 */
package dev.outboxlog.outbox.ops;
