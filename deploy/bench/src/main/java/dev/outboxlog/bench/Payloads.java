package dev.outboxlog.bench;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** The payload of measurements: about 490 bytes of JSON that begin with the event's number. */
final class Payloads {

    private static final int CUSTOMER = 32;
    private static final int TEXT = 416;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** An SQL expression for the payload of event {@code n}. Its text differs from event to event, as that of real ones does. */
    static final String SQL = """
            ('{"n":' || n || ',"customerId":"' || md5(n::text) || '","text":"'
             || (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 13) AS i) || '"}')::json""";

    private Payloads() {}

    /** A payload of the same shape and length as the one that SQL makes of the same number. */
    static String text(int n) {
        SplittableRandom random = new SplittableRandom(n);
        return "{\"n\":" + n + ",\"customerId\":\"" + hex(random, CUSTOMER) + "\",\"text\":\"" + hex(random, TEXT)
                + "\"}";
    }

    private static String hex(SplittableRandom random, int length) {
        byte[] digits = new byte[length];
        for (int i = 0; i < length; i += 16) {
            long bits = random.nextLong();
            for (int k = 0; k < 16; k++) {
                digits[i + k] = HEX[(int) (bits >>> 4 * k & 15)];
            }
        }
        return new String(digits, StandardCharsets.US_ASCII);
    }

    /** The number of the event whose payload this is. Reads no more than it must: the receiver shares the cores with what is measured. */
    static int number(byte[] payload) {
        int at = 0;
        while (payload[at] != ':') {
            at++;
        }
        return digits(payload, at + 1);
    }

    /** The number that begins at this place. */
    static int digits(byte[] text, int from) {
        int number = 0;
        for (int at = from; at < text.length && text[at] >= '0' && text[at] <= '9'; at++) {
            number = number * 10 + text[at] - '0';
        }
        return number;
    }
}
