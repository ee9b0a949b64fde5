package dev.outboxlog.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The settings of one measurement: what was given, and what holds where nothing was. */
final class Arguments {

    private final Map<String, String> values = new LinkedHashMap<>();

    /**
     * Reads the command line.
     *
     * @param arguments what was given
     * @param known the settings that the measurement has
     * @throws WrongArguments whose message says which argument is wrong and why
     */
    Arguments(List<String> arguments, List<Setting> known) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        for (Setting setting : known) {
            settings.put("--" + setting.name(), setting);
            values.put(setting.name(), setting.otherwise());
        }
        for (int i = 0; i < arguments.size(); i += 2) {
            Setting setting = settings.get(arguments.get(i));
            if (setting == null) {
                throw new WrongArguments("there is no setting '" + arguments.get(i) + "'; there are "
                        + String.join(", ", settings.keySet()));
            }
            String value = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
            setting.problem(value).ifPresent(problem -> {
                throw new WrongArguments(problem);
            });
            values.put(setting.name(), value);
        }
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("the measurement asks for a setting that it does not have: " + name);
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    List<String> texts(String name) {
        return List.of(text(name).split(","));
    }

    List<Integer> numbers(String name) {
        return texts(name).stream().map(Integer::valueOf).toList();
    }

    /** All settings in the order of {@code --help}. */
    Map<String, String> all() {
        return values;
    }
}
