package dev.outboxlog.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureClassTest {

    @ParameterizedTest
    @CsvSource({
        "08006, CONNECTION",
        "57P01, CONNECTION",
        "57P03, CONNECTION",
        "57014, TIMEOUT",
        "55P03, TIMEOUT",
        "40001, CONFLICT",
        "40P01, CONFLICT",
        "53300, RESOURCES",
        "53100, RESOURCES",
        "58030, RESOURCES",
        "25006, RESOURCES",
        "42P01, ENVIRONMENT",
        "42501, ENVIRONMENT",
        "28P01, ENVIRONMENT",
        "3D000, ENVIRONMENT",
        "XX000, ENVIRONMENT",
        "0A000, ENVIRONMENT",
        "23505, EVENT",
        "23514, EVENT",
        "22P02, EVENT",
        "P0001, EVENT"
    })
    void a_sqlstate_says_whose_fault_it_is(String state, FailureClass expected) {
        assertThat(FailureClass.of(new PgException("message", "ERROR", state, null)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "57014", "40001", "53100", "25006", "42P01"})
    void what_is_not_the_events_fault_is_tried_again(String state) {
        assertThat(FailureClass.ofSqlState(state).isTransient()).isTrue();
    }

    @Test
    void a_lost_connection_and_a_late_answer_are_tried_again() {
        assertThat(FailureClass.of(new CompletionException(new IOException("reset"))))
                .isEqualTo(FailureClass.CONNECTION);
        assertThat(FailureClass.of(new VertxException("closed"))).isEqualTo(FailureClass.CONNECTION);
        assertThat(FailureClass.of(new CompletionException(new TimeoutException())))
                .isEqualTo(FailureClass.POOL);
    }

    @Test
    void a_failure_of_the_handler_is_the_events() {
        assertThat(FailureClass.of(new NullPointerException())).isEqualTo(FailureClass.EVENT);
    }
}
