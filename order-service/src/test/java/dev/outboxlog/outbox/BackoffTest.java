package dev.outboxlog.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    @ParameterizedTest
    @CsvSource({"0, 100", "1, 100", "2, 200", "3, 400", "6, 3200", "7, 5000", "100, 5000", "2147483647, 5000"})
    void pausesDoubleUpToTheLongest(int failures, long fullMillis) {
        assertThat(backoff.pause(failures).toMillis()).isBetween(fullMillis / 2, fullMillis);
    }

    @RepeatedTest(3)
    void replicasThatFailedTogetherDoNotComeBackTogether() {
        assertThat(java.util.stream.IntStream.range(0, 100)
                        .mapToObj(n -> backoff.pause(7))
                        .distinct())
                .hasSizeGreaterThan(50);
    }

    @Test
    void anImpossibleBackoffIsRefused() {
        assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("0 < min <= max");
        assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("PT0S");
    }
}
