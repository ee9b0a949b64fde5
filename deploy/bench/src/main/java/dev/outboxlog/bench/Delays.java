package dev.outboxlog.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** How long something took, as percentiles. */
final class Delays {

    private static final int DIGITS = 3;

    private final Histogram micros = new Histogram(DIGITS);

    void add(long delayMicros) {
        // Clocks are read by different processes: a little below nothing is nothing.
        micros.recordValue(Math.max(0, delayMicros));
    }

    void add(Delays others) {
        micros.add(others.micros);
    }

    double millis(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1000.0;
    }

    /** As columns of a report. */
    Map<String, Double> columns() {
        Map<String, Double> columns = new LinkedHashMap<>();
        columns.put("p50 ms", millis(50));
        columns.put("p99 ms", millis(99));
        columns.put("p99.9 ms", millis(99.9));
        columns.put("max ms", micros.getMaxValue() / 1000.0);
        return columns;
    }
}
