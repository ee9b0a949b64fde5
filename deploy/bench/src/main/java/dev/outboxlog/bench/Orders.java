package dev.outboxlog.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Orders as clients place them, numbered so that their events can be told apart. */
final class Orders {

    private static final byte[] MARK = "bench-".getBytes(StandardCharsets.US_ASCII);

    private Orders() {}

    static String json(int n) {
        return """
                {"customerId":"bench-%d","lines":[{"sku":"BOOK-1","quantity":2,"unitPriceMinor":1999,"currency":"EUR"},\
                {"sku":"PEN-7","quantity":1,"unitPriceMinor":499,"currency":"EUR"}],\
                "shippingAddress":{"name":"Ada Lovelace","street":"12 St James Square","city":"London","postalCode":"SW1Y 4JH","country":"GB"}}\
                """.formatted(n);
    }

    /** Places an order and insists on its being taken. */
    static void place(HttpConnection connection, int n) throws IOException {
        HttpConnection.Answer answer = connection.post("/orders", json(n));
        if (answer.status() != 201) {
            throw new IOException("an order was answered with " + answer.status() + " " + answer.body());
        }
    }

    /** The number of the order whose event this is; -1 if it has none. */
    static int number(byte[] payload) {
        for (int at = 0; at + MARK.length < payload.length; at++) {
            int matching = 0;
            while (matching < MARK.length && payload[at + matching] == MARK[matching]) {
                matching++;
            }
            if (matching == MARK.length) {
                return Payloads.digits(payload, at + matching);
            }
        }
        return -1;
    }
}
