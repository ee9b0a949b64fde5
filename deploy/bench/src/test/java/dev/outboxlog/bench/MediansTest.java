package dev.outboxlog.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {

    @Test
    void theMedianIsTheMiddleOneOrBetweenTheMiddleTwo() {
        assertThat(Medians.of(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Medians.of(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
    }

    @Test
    void ratiosAreThoseOfTheSameRoundAndTheSameOtherLabels() {
        List<Row> rows = List.of(
                row(1, "ours", 8, 50),
                row(1, "plain", 8, 100),
                row(1, "ours", 1, 3),
                row(1, "plain", 1, 4),
                row(2, "ours", 8, 30),
                row(2, "plain", 8, 40));

        List<Row> medians = Medians.of(Medians.withRatios(rows, "into", "plain", "orders/s"));

        assertThat(medians).extracting(row -> row.numbers().get("of plain")).containsExactly(0.625, 1.0, 0.75, 1.0);
        assertThat(medians).extracting(Row::round).containsExactly(2, 2, 1, 1);
    }

    private static Row row(int round, String into, int clients, double perSecond) {
        return Row.of(round, "into", into).and("clients", clients).with("orders/s", perSecond);
    }
}
