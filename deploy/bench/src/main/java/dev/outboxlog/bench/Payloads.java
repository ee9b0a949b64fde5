package dev.outboxlog.bench;

/** The payload of measurements: about 500 bytes of JSON that begin with the event's number. */
final class Payloads {

    /** An SQL expression for the payload of event {@code n}. Its text differs from event to event, as that of real ones does. */
    static final String SQL = """
            ('{"n":' || n || ',"customerId":"' || md5(n::text) || '","text":"'
             || (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 13) AS i) || '"}')::json""";

    private Payloads() {}

    /** The number of the event whose payload this is. */
    static int number(String payload) {
        int start = payload.indexOf(':') + 1;
        int end = start;
        while (Character.isDigit(payload.charAt(end))) {
            end++;
        }
        return Integer.parseInt(payload, start, end, 10);
    }
}
