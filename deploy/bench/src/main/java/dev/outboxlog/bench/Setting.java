package dev.outboxlog.bench;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One setting of a measurement, given as {@code --name value}.
 *
 * @param name without the dashes
 * @param otherwise the value that it has where nothing is given
 * @param meaning one line for {@code --help}
 * @param shape what every part of the value looks like
 * @param list whether several parts may be given, with commas between them
 * @param rule the shape in words
 */
record Setting(String name, String otherwise, String meaning, Pattern shape, boolean list, String rule) {

    static Setting number(String name, int otherwise, String meaning) {
        return new Setting(
                name,
                Integer.toString(otherwise),
                meaning,
                Pattern.compile("[1-9][0-9]{0,8}"),
                false,
                "a number from 1 to 999999999");
    }

    static Setting numbers(String name, String otherwise, String meaning) {
        return new Setting(
                name,
                otherwise,
                meaning,
                Pattern.compile("[1-9][0-9]{0,5}"),
                true,
                "numbers from 1 to 999999 with commas between them");
    }

    static Setting oneOf(String name, List<String> known, String meaning) {
        return new Setting(
                name,
                known.get(0),
                meaning,
                Pattern.compile(String.join("|", known)),
                false,
                "one of " + String.join(", ", known));
    }

    static Setting someOf(String name, List<String> known, String meaning) {
        return new Setting(
                name,
                String.join(",", known),
                meaning,
                Pattern.compile(String.join("|", known)),
                true,
                "some of " + String.join(", ", known) + " with commas between them");
    }

    static Setting path(String name, String otherwise, String meaning) {
        return new Setting(name, otherwise, meaning, Pattern.compile(".+"), false, "a path");
    }

    /** What is wrong with a value, in words; empty if nothing is. */
    Optional<String> problem(String value) {
        List<String> parts = list ? List.of(value.split(",", -1)) : List.of(value);
        boolean good = parts.stream().allMatch(part -> shape.matcher(part).matches())
                && parts.stream().distinct().count() == parts.size();
        return good ? Optional.empty() : Optional.of("--" + name + " needs " + rule + ", not '" + value + "'");
    }
}
