package dev.outboxlog.outbox.ops;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a page of events ended, in a form that says nothing to clients and may change.
 *
 * @param createdAt when the last event was appended
 * @param position where it is
 */
record PageToken(OffsetDateTime createdAt, long position) {

    /** Before the first page: later than everything. */
    static final PageToken START =
            new PageToken(OffsetDateTime.of(9999, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC), Long.MAX_VALUE);

    private static final int LONGEST = 100;
    private static final Pattern FORM = Pattern.compile("1:([0-9]{1,16}):([0-9]{1,18})");
    private static final long MICROS = 1_000_000;

    String encoded() {
        Instant instant = createdAt.toInstant();
        long micros = instant.getEpochSecond() * MICROS + instant.getNano() / 1_000;
        byte[] bytes = ("1:" + micros + ":" + position).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Empty where the text was not made by {@link #encoded()}. */
    static Optional<PageToken> decoded(String token) {
        if (token.length() > LONGEST) {
            return Optional.empty();
        }
        try {
            Matcher parts = FORM.matcher(new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8));
            if (!parts.matches()) {
                return Optional.empty();
            }
            long micros = Long.parseLong(parts.group(1));
            Instant instant = Instant.ofEpochSecond(micros / MICROS, micros % MICROS * 1_000);
            return Optional.of(new PageToken(instant.atOffset(ZoneOffset.UTC), Long.parseLong(parts.group(2))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
