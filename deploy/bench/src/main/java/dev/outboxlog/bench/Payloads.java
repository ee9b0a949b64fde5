package dev.outboxlog.bench;

/** The payload of measurements: about 500 bytes of JSON that begin with the event's number. */
final class Payloads {

    /** An SQL expression for the payload of event {@code n}. Its text differs from event to event, as that of real ones does. */
    static final String SQL = """
            ('{"n":' || n || ',"customerId":"' || md5(n::text) || '","text":"'
             || (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 13) AS i) || '"}')::json""";

    private Payloads() {}

    /** The number of the event whose payload this is. Reads no more than it must: the receiver shares the cores with what is measured. */
    static int number(byte[] payload) {
        int at = 0;
        while (payload[at] != ':') {
            at++;
        }
        int number = 0;
        for (at++; Character.isDigit(payload[at]); at++) {
            number = number * 10 + payload[at] - '0';
        }
        return number;
    }
}
