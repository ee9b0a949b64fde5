package dev.outboxlog.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the rounds have in common: the median of each number, and of each round's ratio to a baseline. */
final class Medians {

    private Medians() {}

    /** The middle one; between the middle two where their number is even. */
    static double of(List<Double> numbers) {
        List<Double> sorted = numbers.stream().sorted().toList();
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /** One row for all rows with the same labels, in the order of their first appearance. Its round is the number of rounds. */
    static List<Row> of(Iterable<Row> rows) {
        Map<Map<String, String>, List<Row>> alike = new LinkedHashMap<>();
        rows.forEach(row ->
                alike.computeIfAbsent(row.labels(), labels -> new ArrayList<>()).add(row));
        return alike.entrySet().stream()
                .map(entry -> median(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Row median(Map<String, String> labels, List<Row> rows) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        for (Row row : rows) {
            for (String column : row.numbers().keySet()) {
                numbers.computeIfAbsent(
                        column,
                        c -> of(rows.stream()
                                .map(other -> other.numbers().get(c))
                                .filter(Objects::nonNull)
                                .toList()));
            }
        }
        return new Row(rows.size(), labels, numbers);
    }

    /**
     * Adds to each row its ratio to that row of the same round whose labels differ only in the given one. Ratios of one round compare what
     * ran in the same minutes, so a machine that is busy now and then disturbs them least.
     */
    static List<Row> withRatios(List<Row> rows, String label, String baseline, String column) {
        List<Row> result = new ArrayList<>();
        for (Row row : rows) {
            Map<String, String> labels = new LinkedHashMap<>(row.labels());
            labels.put(label, baseline);
            rows.stream()
                    .filter(other ->
                            other.round() == row.round() && other.labels().equals(labels))
                    .map(other -> other.numbers().get(column))
                    .filter(number ->
                            number != null && number > 0 && row.numbers().containsKey(column))
                    .findFirst()
                    .ifPresentOrElse(
                            number -> result.add(
                                    row.with("of " + baseline, row.numbers().get(column) / number)),
                            () -> result.add(row));
        }
        return result;
    }
}
