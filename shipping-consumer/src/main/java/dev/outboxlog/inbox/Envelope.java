package dev.outboxlog.inbox;

import com.github.f4b6a3.uuid.util.UuidValidator;
import dev.outboxlog.inbox.Delivery.Reading;
import dev.outboxlog.inbox.RawRecord.RawHeader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** Reads the headers of a CloudEvents 1.0 record in binary mode. Never throws: a record that cannot be read is an outcome. */
final class Envelope {

    private static final int UUID_LENGTH = 36;
    private static final int LONGEST = 255;
    private static final Pattern SEQUENCE = Pattern.compile("[0-9]{1,18}");
    private static final Set<String> OURS = Set.of(
            "ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "ce_subject", "ce_sequence", "content-type");

    private final RawRecord raw;
    private final Map<String, String> headers = new HashMap<>();

    private Envelope(RawRecord raw) {
        this.raw = raw;
    }

    static Reading read(RawRecord raw) {
        Envelope envelope = new Envelope(raw);
        UUID id = null;
        try {
            Set<String> repeated = envelope.collectHeaders();
            if (!repeated.contains("ce_id")) {
                id = envelope.id();
            }
            if (!repeated.isEmpty()) {
                throw new Unreadable(
                        "duplicate-header", "the header " + repeated.iterator().next() + " comes twice");
            }
            return new Reading.Readable(envelope.event(id));
        } catch (Unreadable e) {
            return new Reading.Malformed(id, e.code, e.getMessage());
        }
    }

    /** Takes the headers that matter and returns the names of those that come more than once. */
    private Set<String> collectHeaders() throws Unreadable {
        Set<String> repeated = new HashSet<>();
        for (RawHeader header : raw.headers()) {
            String name = header.name().toLowerCase(Locale.ROOT);
            if (OURS.contains(name) && headers.putIfAbsent(name, decoded(header)) != null) {
                repeated.add(name);
            }
        }
        return repeated;
    }

    private static String decoded(RawHeader header) {
        try {
            byte[] value = header.value() == null ? new byte[0] : header.value();
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            // No valid value of any of our headers is empty.
            return "";
        }
    }

    private UUID id() throws Unreadable {
        String text = headers.get("ce_id");
        if (text == null) {
            throw new Unreadable("no-id", "there is no header ce_id");
        }
        if (text.length() != UUID_LENGTH || !UuidValidator.isValid(text)) {
            throw new Unreadable("bad-id", "the header ce_id is not a UUID");
        }
        return UUID.fromString(text);
    }

    private InboxEvent event(UUID id) throws Unreadable {
        String version = required("ce_specversion");
        if (!version.equals("1.0")) {
            throw new Unreadable("bad-specversion", "ce_specversion is not 1.0");
        }
        String type = required("ce_type");
        String source = required("ce_source");
        String subject = required("ce_subject");
        long sequence = sequence(required("ce_sequence"));
        Instant time = time(headers.get("ce_time"));
        String contentType = headers.getOrDefault("content-type", "application/json");
        if (!contentType.split(";", 2)[0].trim().equalsIgnoreCase("application/json")) {
            throw new Unreadable("bad-content-type", "content-type is not application/json");
        }
        if (raw.value() == null) {
            throw new Unreadable("no-value", "the record has no value");
        }
        if (raw.key() == null || !subject.equals(new String(raw.key(), StandardCharsets.UTF_8))) {
            // The key decides on the partition, and only within one the order of events holds.
            throw new Unreadable("wrong-key", "the record's key is not its ce_subject");
        }
        return new InboxEvent(id, type, source, subject, sequence, time, raw.value());
    }

    private String required(String name) throws Unreadable {
        String value = headers.get(name);
        if (value == null) {
            throw new Unreadable("missing-header", "there is no header " + name);
        }
        if (value.isBlank() || value.length() > LONGEST || value.indexOf('\0') >= 0) {
            throw new Unreadable(
                    "bad-header", "the header " + name + " is empty, longer than " + LONGEST + " or no text");
        }
        return value;
    }

    private static long sequence(String text) throws Unreadable {
        if (!SEQUENCE.matcher(text).matches() || Long.parseLong(text) < 1) {
            throw new Unreadable("bad-sequence", "ce_sequence is not a number from 1");
        }
        return Long.parseLong(text);
    }

    private static Instant time(String text) throws Unreadable {
        if (text == null) {
            return null;
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new Unreadable("bad-time", "ce_time is not of RFC 3339");
        }
    }

    /** Carries the reason out of the parser; without a stack trace, because it is no surprise. */
    private static final class Unreadable extends Exception {
        private final String code;

        Unreadable(String code, String reason) {
            super(reason, null, false, false);
            this.code = code;
        }
    }
}
