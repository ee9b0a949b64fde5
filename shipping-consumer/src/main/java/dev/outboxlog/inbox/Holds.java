package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Delivery.Reading;
import dev.outboxlog.inbox.RawRecord.RawHeader;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The table {@code inbox_hold}, as the engine uses it: what could not be applied. */
@Singleton
class Holds {

    private static final int LONGEST_TEXT = 1000;
    /** What one transaction takes up at most; the sweep gets the rest. */
    private static final int MOST = 10_000;

    private static final String INSERT = """
            INSERT INTO inbox_hold (
                state, reason_code, reason, event_id, event_type, subject, sequence,
                topic, partition, record_offset, record_key, record_value, header_names, header_values, fingerprint)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            ON CONFLICT ON CONSTRAINT inbox_hold_one_per_record DO NOTHING
            """;

    private static final String HELD_OF = """
            SELECT h.hold_id, h.topic, h.partition, h.record_offset, h.record_key, h.record_value, h.header_names,
                h.header_values
            FROM unnest($1::text[]) AS wanted (subject)
            CROSS JOIN LATERAL (
                SELECT hold_id, topic, partition, record_offset, record_key, record_value, header_names, header_values,
                    sequence
                FROM inbox_hold
                WHERE state = 'held' AND subject = wanted.subject
                ORDER BY sequence, hold_id
                LIMIT $2
                FOR UPDATE
            ) AS h
            ORDER BY wanted.subject, h.sequence
            LIMIT $3
            """;

    private static final String RELEASE = """
            DELETE FROM inbox_hold
            WHERE hold_id = ANY ($1::bigint[])
            """;

    private static final String BECOME = """
            UPDATE inbox_hold
            SET state = $2, reason_code = $3, reason = $4, updated_at = now()
            WHERE hold_id = $1
            """;

    private static final String HELD_SUBJECTS = """
            SELECT DISTINCT subject
            FROM inbox_hold
            WHERE state = 'held' AND subject > $1
            ORDER BY subject
            LIMIT $2
            """;

    private static final String COUNT = """
            SELECT count(*) FILTER (WHERE state = 'held') AS held, count(*) FILTER (WHERE state = 'parked') AS parked
            FROM inbox_hold
            WHERE state IN ('held', 'parked')
            """;

    /** Why a record is put on hold. */
    record Reason(String state, String code, String text) {

        static Reason held(String text) {
            return new Reason("held", "gap", text);
        }

        static Reason parked(String code, String text) {
            return new Reason("parked", code, text);
        }

        boolean isParked() {
            return state.equals("parked");
        }

        /** After a retry; {@code processed_events} says how. */
        static Reason settled() {
            return new Reason("settled", "retried", "a retry found its outcome");
        }
    }

    /** A record to be put on hold. */
    record Entry(Delivery delivery, Reason reason) {}

    /** How many wait. */
    record Counts(long held, long parked) {}

    /** Puts records on hold. One that is there already, from an earlier delivery of the same record, stays as it is. */
    Uni<Void> insert(SqlConnection transaction, List<Entry> entries) {
        if (entries.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        List<Tuple> rows = entries.stream().map(Holds::row).toList();
        return transaction.preparedQuery(INSERT).executeBatch(rows).replaceWithVoid();
    }

    /** Nothing that the record brings may make this insert fail: bytes stay bytes, and texts are made harmless. */
    private static Tuple row(Entry entry) {
        RawRecord raw = entry.delivery().raw();
        InboxEvent event = entry.delivery().reading() instanceof Reading.Readable readable ? readable.event() : null;
        return Tuple.tuple()
                .addString(entry.reason().state())
                .addString(harmless(entry.reason().code()))
                .addString(harmless(entry.reason().text()))
                .addUUID(entry.delivery().id())
                .addString(event == null ? header(raw, "ce_type") : event.type())
                .addString(event == null ? header(raw, "ce_subject") : event.subject())
                .addLong(event == null ? null : event.sequence())
                .addString(raw.topic())
                .addInteger(raw.partition())
                .addLong(raw.offset())
                .addValue(bytes(raw.key()))
                .addValue(bytes(raw.value()))
                .addValue(raw.headers().stream().map(h -> printable(h.name())).toArray(String[]::new))
                .addValue(raw.headers().stream().map(h -> bytes(h.value())).toArray(Buffer[]::new))
                .addValue(bytes(raw.fingerprint()));
    }

    private static String header(RawRecord raw, String name) {
        return raw.headers().stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(RawHeader::text)
                .filter(java.util.Objects::nonNull)
                .map(Holds::harmless)
                .findFirst()
                .orElse(null);
    }

    private static String harmless(String text) {
        return printable(text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text);
    }

    /** PostgreSQL's text has no place for NUL. */
    private static String printable(String text) {
        return text.replace('\0', '\uFFFD');
    }

    private static Buffer bytes(byte[] bytes) {
        return bytes == null ? null : Buffer.buffer(bytes);
    }

    /**
     * The held records of some subjects, locked, by subject and sequence.
     *
     * @param each the most of one subject
     */
    Uni<List<Candidate>> heldOf(SqlConnection transaction, Collection<String> subjects, int each) {
        String[] sorted = subjects.stream().distinct().sorted().toArray(String[]::new);
        return transaction
                .preparedQuery(HELD_OF)
                .execute(Tuple.tuple().addValue(sorted).addInteger(each).addInteger(MOST))
                .map(Holds::held);
    }

    private static List<Candidate> held(RowSet<Row> rows) {
        List<Candidate> held = new ArrayList<>(rows.size());
        rows.forEach(row -> held.add(Candidate.fromHold(row.getLong("hold_id"), false, Delivery.of(record(row)))));
        return held;
    }

    /** Reads the record's own columns of a row. */
    static RawRecord record(Row row) {
        String[] names = row.getArrayOfStrings("header_names");
        Buffer[] values = (Buffer[]) row.getValue("header_values");
        List<RawHeader> headers = new ArrayList<>(names.length);
        for (int i = 0; i < names.length; i++) {
            headers.add(new RawHeader(names[i], values[i] == null ? null : values[i].getBytes()));
        }
        return new RawRecord(
                row.getString("topic"),
                row.getInteger("partition"),
                row.getLong("record_offset"),
                bytes(row, "record_key"),
                bytes(row, "record_value"),
                headers);
    }

    private static byte[] bytes(Row row, String column) {
        return row.getValue(column) instanceof Buffer buffer ? buffer.getBytes() : null;
    }

    /** Forgets held records that found their place. */
    Uni<Void> release(SqlConnection transaction, List<Long> holdIds) {
        if (holdIds.isEmpty()) {
            return Uni.createFrom().voidItem();
        }
        return transaction
                .preparedQuery(RELEASE)
                .execute(Tuple.tuple().addArrayOfLong(holdIds.toArray(Long[]::new)))
                .replaceWithVoid();
    }

    /** Changes where a record on hold stands, and why. */
    Uni<Void> become(SqlConnection transaction, long holdId, Reason reason) {
        return transaction
                .preparedQuery(BECOME)
                .execute(Tuple.of(holdId, reason.state(), harmless(reason.code()), harmless(reason.text())))
                .replaceWithVoid();
    }

    /** Subjects with held records, in order, after the given one. */
    Uni<List<String>> heldSubjects(SqlClient client, String after, int limit) {
        return client.preparedQuery(HELD_SUBJECTS)
                .execute(Tuple.of(after, limit))
                .map(rows -> {
                    List<String> subjects = new ArrayList<>(rows.size());
                    rows.forEach(row -> subjects.add(row.getString("subject")));
                    return subjects;
                });
    }

    /** Counts what waits. */
    Uni<Counts> count(SqlClient client) {
        return client.preparedQuery(COUNT).execute().map(rows -> {
            Row row = rows.iterator().next();
            return new Counts(row.getLong("held"), row.getLong("parked"));
        });
    }
}
