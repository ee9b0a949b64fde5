package dev.outboxlog.outbox.ops;

import java.util.UUID;

/** Where an event is in the log; it never changes. */
record EventPlace(int lane, long position, UUID id) {}
