package dev.outboxlog.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReceivedTest {

    @Test
    void ratesAreThoseOfTheOrderOfArrival() {
        Received received = new Received(0, new long[] {2_000_000, 1_000_000, 2_500_000, 3_000_000}, 0, 0);

        assertThat(received.rates(2)).containsExactly(1, 2);
        assertThat(received.perSecondOfSecondHalf()).isEqualTo(2);
        assertThat(received.perSecond()).isEqualTo(4.0 / 3);
    }

    @Test
    void thePayloadsTellTheirNumbers() {
        assertThat(Payloads.number(bytes(Payloads.text(1234)))).isEqualTo(1234);
        assertThat(Orders.number(bytes(Orders.json(56)))).isEqualTo(56);
        assertThat(Orders.number(bytes("{}"))).isEqualTo(-1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
