package dev.outboxlog.outbox.ops;

import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.UUID;

/** Reads what clients write; empty where it is something else. */
final class Texts {

    static final String TIME = "It is a time like 2026-03-01T08:00:00Z.";
    private static final int FIRST_YEAR = 1970;
    private static final int LAST_YEAR = 9999;

    private Texts() {}

    static Optional<OffsetDateTime> time(String text) {
        try {
            OffsetDateTime time = OffsetDateTime.parse(text);
            return time.getYear() >= FIRST_YEAR && time.getYear() <= LAST_YEAR ? Optional.of(time) : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    static Optional<UUID> uuid(String text) {
        return text != null && text.matches("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
                ? Optional.of(UUID.fromString(text))
                : Optional.empty();
    }

    static boolean isStorable(String text) {
        return text.indexOf('\0') < 0;
    }
}
