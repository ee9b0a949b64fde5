package dev.outboxlog.bench;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The settings of a measurement, given as {@code --name value}. */
final class Arguments {

    private final Map<String, Integer> values = new HashMap<>();

    /**
     * Reads the command line.
     *
     * @param arguments what was given
     * @param known the names that the measurement has
     * @throws IllegalArgumentException whose message says which argument is wrong and why
     */
    Arguments(List<String> arguments, Set<String> known) {
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i).replaceFirst("^--", "");
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no setting '" + arguments.get(i) + "'; there are " + known);
            }
            String value = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
            if (!value.matches("[1-9][0-9]{0,8}")) {
                throw new IllegalArgumentException("--" + name + " needs a positive number, not '" + value + "'");
            }
            values.put(name, Integer.parseInt(value));
        }
    }

    int get(String name, int otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
