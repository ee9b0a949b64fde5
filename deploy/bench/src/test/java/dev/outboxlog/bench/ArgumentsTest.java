package dev.outboxlog.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

    private static final List<Setting> SETTINGS = List.of(
            Setting.number("events", 100, "how many"),
            Setting.numbers("rates", "1,2", "how fast"),
            Setting.someOf("who", List.of("a", "b"), "who"),
            Setting.oneOf("jvm", List.of("small", "default"), "how"));

    @Test
    void whatIsNotGivenHasItsDefault() {
        Arguments arguments = new Arguments(List.of("--events", "7"), SETTINGS);

        assertThat(arguments.number("events")).isEqualTo(7);
        assertThat(arguments.numbers("rates")).containsExactly(1, 2);
        assertThat(arguments.texts("who")).containsExactly("a", "b");
        assertThat(arguments.text("jvm")).isEqualTo("small");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--events|0|--events needs a number from 1",
                "--events|many|--events needs a number from 1",
                "--rates|1,,2|--rates needs numbers",
                "--rates|5,5|--rates needs numbers",
                "--who|a,c|--who needs some of a, b",
                "--jvm|small,default|--jvm needs one of small, default",
                "--speed|5|there is no setting '--speed'",
                "events|5|there is no setting 'events'"
            })
    void aWrongArgumentIsRefusedWithTheRule(String name, String value, String message) {
        assertThatThrownBy(() -> new Arguments(List.of(name, value), SETTINGS))
                .isInstanceOf(WrongArguments.class)
                .hasMessageContaining(message);
    }

    @Test
    void aNameWithoutAValueIsRefused() {
        assertThatThrownBy(() -> new Arguments(List.of("--events"), SETTINGS))
                .isInstanceOf(WrongArguments.class)
                .hasMessageContaining("not ''");
    }
}
