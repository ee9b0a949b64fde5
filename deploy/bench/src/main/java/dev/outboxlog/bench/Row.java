package dev.outboxlog.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run of one candidate gave.
 *
 * @param round which round, from 1
 * @param labels what was run: rows with the same labels are the same thing in different rounds
 * @param numbers what came out, by the name of the column
 */
record Row(int round, Map<String, String> labels, Map<String, Double> numbers) {

    Row {
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
        numbers = new LinkedHashMap<>(numbers);
    }

    /** A row without numbers. */
    static Row of(int round, String label, Object value) {
        return new Row(round, Map.of(label, value.toString()), Map.of());
    }

    /** The same row with one more label. */
    Row and(String label, Object value) {
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(label, value.toString());
        return new Row(round, more, numbers);
    }

    /** The same row with one more number. */
    Row with(String column, double number) {
        Map<String, Double> more = new LinkedHashMap<>(numbers);
        more.put(column, number);
        return new Row(round, labels, more);
    }

    /** The same row with more numbers. */
    Row with(Map<String, Double> others) {
        Map<String, Double> more = new LinkedHashMap<>(numbers);
        more.putAll(others);
        return new Row(round, labels, more);
    }
}
