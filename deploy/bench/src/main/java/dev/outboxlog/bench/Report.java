package dev.outboxlog.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints every round as it comes and the medians at the end, and writes all of it as JSON. */
final class Report {

    private final String measurement;
    private final Map<String, String> settings;
    private final Map<String, String> versions = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final Table rounds = new Table("round");
    private List<Row> rows = new ArrayList<>();
    private int failures;

    Report(String measurement, Map<String, String> settings) {
        this.measurement = measurement;
        this.settings = settings;
    }

    /** What can fail for one candidate and leave the others alone. */
    interface Run {
        Map<String, Double> columns() throws Exception;
    }

    /**
     * Carries out one run and prints what it gave. If it fails, says so and lets the next one have its turn: hours of measuring are not to be
     * lost to one candidate.
     */
    void add(Row labels, Run run) throws InterruptedException {
        try {
            add(labels.with(run.columns()));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (!Testbed.interrupted()) {
                failures++;
                note("FAILED in round %d: %s: %s"
                        .formatted(labels.round(), labels.labels().values(), e.getMessage()));
            }
        }
    }

    /** How many runs have failed. */
    int failures() {
        return failures;
    }

    /** Prints what one run gave. */
    void add(Row row) {
        rows.add(row);
        rounds.print(row);
    }

    /** Says something that the reader of the numbers should know. */
    void note(String note) {
        notes.add(note);
        System.out.println(note);
    }

    /** Names the version of something that was measured. */
    void version(String of, String version) {
        versions.put(of, version);
    }

    /** Compares, within each round, a column with that of a baseline. */
    void compare(String column, String label, String baseline) {
        rows = new ArrayList<>(Medians.withRatios(rows, label, baseline, column));
    }

    /** Prints the medians and writes the file. */
    void finish(Path out) throws IOException {
        List<Row> medians = Medians.of(rows);
        System.out.println("\nmedians");
        Table table = new Table("rounds");
        medians.forEach(table::print);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("measurement", measurement);
        document.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        document.put("machine", Machine.here());
        document.put("versions", versions);
        Map<String, String> published = new LinkedHashMap<>(settings);
        published.remove("out"); // where it lies is nobody's business
        document.put("settings", published);
        document.put("notes", notes);
        document.put("medians", medians.stream().map(Report::json).toList());
        document.put("rounds", rows.stream().map(Report::json).toList());
        Files.createDirectories(out.toAbsolutePath().getParent());
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(out.toFile(), document);
        System.out.println("\nwritten to " + out);
    }

    private static Map<String, Object> json(Row row) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("round", row.round());
        json.putAll(row.labels());
        row.numbers().forEach((column, number) -> json.put(column, rounded(number)));
        return json;
    }

    private static Number rounded(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? (Number) (long) number
                : (Number) (Math.round(number * 10_000) / 10_000.0);
    }
}
