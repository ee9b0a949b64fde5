package dev.outboxlog.inbox;

import java.util.Locale;

/** What {@code processed_events} says became of an event. */
enum ProcessedAs {
    APPLIED,
    STALE,
    IGNORED,
    HELD,
    PARKED,
    DISCARDED;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
