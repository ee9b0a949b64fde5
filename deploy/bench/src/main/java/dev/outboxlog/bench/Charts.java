package dev.outboxlog.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Turns written results into pictures. */
final class Charts {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 380;
    private static final Color[] COLORS = {
        new Color(0x1f6feb), new Color(0x8b949e), new Color(0xd29922), new Color(0xcf222e), new Color(0x2da44e)
    };

    /** Dark and light of the same colour belong to the same competitor. */
    private static final Color[] PAIRS = {
        new Color(0x1f6feb),
        new Color(0x9ec5fe),
        new Color(0x2da44e),
        new Color(0x9be0ae),
        new Color(0xbf8700),
        new Color(0xf2d488)
    };

    private final Path directory;
    private final List<Path> drawn = new ArrayList<>();

    /**
     * @param directory where the results are and the pictures go
     */
    Charts(Path directory) {
        this.directory = directory;
    }

    /** Draws what there are results of, and returns the files. */
    List<Path> draw() throws IOException {
        System.setProperty("java.awt.headless", "true");
        drain();
        latency();
        writePath("sql", "Orders a second with SQL: into the log, and into a plain table");
        writePath("http", "Orders a second over HTTP: into the log, and into a plain table");
        return drawn;
    }

    private void drain() throws IOException {
        List<JsonNode> medians = medians("drain");
        if (medians.isEmpty()) {
            return;
        }
        CategoryChart chart = chart("A backlog to Kafka: events a second (median)", "");
        chart.getStyler().setLegendVisible(false);
        List<String> names = medians.stream()
                .map(row -> "%s: %,.0f"
                        .formatted(
                                row.get("competitor").asText(),
                                row.get("events/s").asDouble()))
                .toList();
        // One series for each, or all bars have one colour.
        for (int i = 0; i < names.size(); i++) {
            List<Double> values = new ArrayList<>(Collections.nCopies(names.size(), null));
            values.set(i, medians.get(i).get("events/s").asDouble());
            chart.addSeries(names.get(i), names, values);
        }
        chart.getStyler().setOverlapped(true).setLabelsVisible(false);
        save(chart, "drain");
    }

    private void latency() throws IOException {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        for (JsonNode row : medians("latency")) {
            for (String percentile : List.of("p50", "p99")) {
                series.computeIfAbsent(row.get("competitor").asText() + " " + percentile, name -> new LinkedHashMap<>())
                        .put(
                                row.get("rate").asText() + "/s",
                                rounded(row.get(percentile + " ms").asDouble()));
            }
        }
        if (!series.isEmpty()) {
            CategoryChart chart = chart("From commit to consumer: milliseconds, by events a second", "ms");
            chart.getStyler().setYAxisLogarithmic(true).setYAxisMin(1.0).setSeriesColors(PAIRS);
            add(chart, series);
            save(chart, "latency");
        }
    }

    private void writePath(String how, String title) throws IOException {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        for (JsonNode row : medians("write")) {
            if (row.get("how").asText().equals(how)) {
                series.computeIfAbsent(row.get("into").asText(), name -> new LinkedHashMap<>())
                        .put(
                                row.get("clients").asText() + " clients",
                                rounded(row.get("orders/s").asDouble()));
            }
        }
        if (!series.isEmpty()) {
            CategoryChart chart = chart(title, "");
            add(chart, series);
            save(chart, "write-" + how);
        }
    }

    /** As many digits as anybody reads. */
    private static double rounded(double number) {
        return number < 10 ? Math.round(number * 10) / 10.0 : Math.round(number);
    }

    private static void add(CategoryChart chart, Map<String, Map<String, Double>> series) {
        series.forEach((name, values) ->
                chart.addSeries(name, new ArrayList<>(values.keySet()), new ArrayList<>(values.values())));
    }

    private static CategoryChart chart(String title, String unit) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(unit)
                .build();
        chart.getStyler()
                .setLabelsVisible(true)
                .setLegendPosition(LegendPosition.OutsideS)
                .setChartBackgroundColor(Color.WHITE)
                .setPlotBorderVisible(false)
                .setSeriesColors(COLORS);
        chart.getStyler().setLegendLayout(org.knowm.xchart.style.Styler.LegendLayout.Horizontal);
        chart.getStyler().setLegendBorderColor(Color.WHITE);
        chart.getStyler().setYAxisDecimalPattern("#,##0.##");
        return chart;
    }

    private List<JsonNode> medians(String measurement) throws IOException {
        Path file = directory.resolve(measurement + ".json");
        if (!Files.exists(file)) {
            return List.of();
        }
        JsonNode medians = new ObjectMapper().readTree(file.toFile()).path("medians");
        return StreamSupport.stream(medians.spliterator(), false).toList();
    }

    private void save(CategoryChart chart, String name) throws IOException {
        Path file = directory.resolve(name + ".svg");
        Svg.write(chart, file);
        drawn.add(file);
    }
}
